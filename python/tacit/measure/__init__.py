"""Measures programs: sweeps over parameters and links, figures of their reports, plots, pages.

records = tacit.measure.load("costs.jsonl")
frame = pandas.DataFrame(records.to_columns())      # or pyarrow.table(…), polars.DataFrame(…)
"""

from tacit.measure.cases import Case
from tacit.measure.costs import COSTS, Cost, cost_of
from tacit.measure.records import Record, Records, load

__all__ = ["COSTS", "Case", "Cost", "Record", "Records", "cost_of", "load"]
