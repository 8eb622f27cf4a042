//! Sorting networks, pass by pass.

use tacit_circuit::{CircuitBuilder, Lit, arithmetic};

use crate::error::LowerError;
use crate::lowering::assemble::{Assembler, position_bits, share};
use crate::wires::Wires;
use tacit_schedule::BundleId;

/// Items on their way through a network: the lane of a bundle that holds each position's item.
struct Items {
    bundle: BundleId,
    lane: Vec<u32>,
}

impl Items {
    fn new(bundle: BundleId, count: usize) -> Items {
        Items { bundle, lane: (0..count as u32).collect() }
    }
}

impl Assembler<'_, '_> {
    /// Sorts the parameters: keys, then payloads. Items are one word each: position, key, payloads.
    pub(super) fn sort(&mut self, parameters: usize, signed: bool) -> Result<Vec<BundleId>, LowerError> {
        let parts: Vec<BundleId> = (0..parameters).map(|number| self.parameter(number)).collect();
        let widths: Vec<usize> = parts.iter().map(|part| self.bits(*part) as usize).collect();
        let lanes = self.lanes(parts[0]);
        let position = if parameters > 1 { position_bits(lanes) as usize } else { 0 };
        let items = match position {
            0 if parameters == 1 => parts[0],
            0 => self.concat(&parts)?,
            _ => {
                let positions = self.positions(position as u32, lanes)?;
                self.concat(&[&[positions], &parts[..]].concat())?
            }
        };
        let mut items = Items::new(items, lanes as usize);
        let key = position + widths[0];
        for pass in passes(lanes) {
            self.pass(&mut items, &pass, |builder, low, high| {
                let swap = arithmetic::less(builder, &high[..key], &low[..key], signed);
                (arithmetic::exchange(builder, swap, low, high), swap)
            })?;
        }
        let sorted = self.gather(items.bundle, items.lane)?;
        self.circuit(lanes, &[share(sorted)], |_, inputs| {
            let mut rest = inputs[0].lits()[position..].iter().copied();
            widths.iter().map(|width| Wires::new(*width, rest.by_ref().take(*width).collect())).collect()
        })
    }

    /// Sorts the order, then runs the network backwards on the values.
    pub(super) fn permute(&mut self, values: BundleId, order: BundleId) -> Result<BundleId, LowerError> {
        let count = self.lanes(values) as usize;
        let passes: Vec<_> = passes(count as u64).collect();
        let mut items = Items::new(order, count);
        let mut swaps = Vec::with_capacity(passes.len());
        for pass in &passes {
            swaps.push(self.pass(&mut items, pass, |builder, low, high| {
                let swap = arithmetic::less(builder, high, low, false);
                (arithmetic::exchange(builder, swap, low, high), swap)
            })?);
        }
        let mut items = Items::new(values, count);
        for (pass, swap) in passes.iter().zip(swaps).rev() {
            let [low, high] = self.ends(&items, pass)?;
            let results = self.circuit(
                pass.len() as u64,
                &[share(low), share(high), share(swap)],
                |builder, inputs| {
                    let [low, high, swap] = [0, 1, 2].map(|number| inputs[number].lits());
                    let (first, second) = arithmetic::exchange(builder, swap[0], low, high);
                    vec![Wires::new(low.len(), first), Wires::new(high.len(), second)]
                },
            )?;
            self.put_back(&mut items, pass, [results[0], results[1]])?;
        }
        self.gather(items.bundle, items.lane)
    }

    /// Runs the comparators of one pass; returns for each whether it swapped.
    fn pass(
        &mut self,
        items: &mut Items,
        pass: &[(usize, usize)],
        compare: impl FnOnce(&mut CircuitBuilder, &[Lit], &[Lit]) -> ((Vec<Lit>, Vec<Lit>), Lit),
    ) -> Result<BundleId, LowerError> {
        let [low, high] = self.ends(items, pass)?;
        let results = self.circuit(pass.len() as u64, &[share(low), share(high)], |builder, inputs| {
            let ((first, second), swap) = compare(builder, inputs[0].lits(), inputs[1].lits());
            vec![Wires::new(first.len(), first), Wires::new(second.len(), second), Wires::new(1, vec![swap])]
        })?;
        self.put_back(items, pass, [results[0], results[1]])?;
        Ok(results[2])
    }

    /// The items at the lower and at the higher ends of a pass's comparators.
    fn ends(&mut self, items: &Items, pass: &[(usize, usize)]) -> Result<[BundleId; 2], LowerError> {
        let low = self.gather(items.bundle, pass.iter().map(|(low, _)| items.lane[*low]).collect())?;
        let high = self.gather(items.bundle, pass.iter().map(|(_, high)| items.lane[*high]).collect())?;
        Ok([low, high])
    }

    /// Merges the results of comparators with the items that they left alone.
    fn put_back(
        &mut self,
        items: &mut Items,
        pass: &[(usize, usize)],
        [low, high]: [BundleId; 2],
    ) -> Result<(), LowerError> {
        let mut lane = vec![u32::MAX; items.lane.len()];
        let count = pass.len() as u32;
        for ((low, high), number) in pass.iter().zip(0..) {
            (lane[*low], lane[*high]) = (number, count + number);
        }
        let alone: Vec<usize> = (0..lane.len()).filter(|position| lane[*position] == u32::MAX).collect();
        let rest: Vec<u32> = alone.iter().map(|position| items.lane[*position]).collect();
        alone.iter().zip(2 * count..).for_each(|(position, number)| lane[*position] = number);
        let rest = if rest.is_empty() { None } else { Some(self.gather(items.bundle, rest)?) };
        items.bundle = self.join(&[Some(low), Some(high), rest])?;
        items.lane = lane;
        Ok(())
    }
}

fn passes(count: u64) -> impl Iterator<Item = Vec<(usize, usize)>> {
    arithmetic::merge_exchange_passes(count as usize).filter(|pass| !pass.is_empty())
}
