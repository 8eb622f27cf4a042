"""Draws the times that both parties take online, over the bitlengths of `multiplication.py`.

    tacit bench multiplication.py --driver multiplication.py --repeat 1 -o runs.jsonl
    tacit plot runs.jsonl --script analyze.py

Source: TASTY, figure 12.
"""

from tacit.tastyl.postprocessing import extract_costs, tasty_plot


def process_costs(cost_objs):
    """Process measured cost objects"""
    x_values = [i["params"]["l"] for i in cost_objs[0][0]]

    # select costs to be drawn
    y_values = extract_costs(
        cost_objs[0],
        # C's online time
        ("C Online", "client>real>online>duration"),
        # S's online time
        ("S Online", "server>real>online>duration"),
    )

    xlabel = "bitlength"  # label of x axis
    ylabel = "Time in ms"  # label of y axis
    graph_name = "Times for HE Multiplication"

    # draw graph into PDF file
    tasty_plot(
        graph_name, xlabel, ylabel, x_values, y_values, legend="inside", outfile="multiplication_time.pdf"
    )
