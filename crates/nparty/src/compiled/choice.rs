//! Which values of a program are shared as words and which as bits: of the ways to lower it, the one whose run costs least.

use tacit_ir::{Body, Domain, Op, Program};
use tacit_lower::{Ceiling, Library, LowerError, OpClass, Options, lower_within, movable_classes};
use tacit_schedule::rules;

use super::domains::BITS;
use super::{Compiled, CompiledError, Pins, Schedules, among, with_narrow_minima};
use crate::parties::PartyIndex;

/// How ways to run a program are compared.
pub struct Comparison<'a> {
    /// The cost of a run.
    pub cost: &'a dyn Fn(&Compiled) -> Result<u64, CompiledError>,
    /// Limits that no schedule exceeds whose run costs at most this much, if each layer of its circuits is a round.
    pub ceiling: &'a dyn Fn(u64) -> Ceiling,
    /// The domains of bits among these parties: see [`Compiled::bit_domains`].
    pub bits: &'a [Domain],
}

/// A way to lower a program.
pub(super) type Way = (Options, Pins);

/// The ways to lower a program of which one may be best, for values that it does not pin. Sums and products may be computed on words, everything
/// else is computed on bits; so values are words from the start, or become words where they are multiplied or added. If classes of operations have domains
/// already, no others are moved.
fn ways(program: &Program, options: &Options) -> Vec<Options> {
    let movable = movable_classes(program);
    let moves: Vec<_> =
        [OpClass::Sums, OpClass::Products].into_iter().filter(|class| movable.contains(class)).collect();
    let bits = Options { domain: BITS, ..*options };
    let of_words = Compiled::domains().into_iter().find(|domain| rules(*domain).is_of_words());
    let Some(of_words) = of_words.filter(|_| !moves.is_empty()) else { return vec![bits] };
    let words = Options { domain: of_words, ..*options };
    if !options.assigned.is_empty() {
        return vec![words, bits];
    }
    let with = |way: Options, classes: &[OpClass], domain| {
        let assigned = classes.iter().fold(way.assigned, |all, class| all.with(*class, Some(domain)));
        Options { assigned, ..way }
    };
    let mut ways = vec![words, with(bits, &moves, of_words), bits];
    if moves.len() > 1 {
        ways.insert(1, with(words, &[OpClass::Sums], BITS));
        ways.insert(2, with(bits, &[OpClass::Products], of_words));
    }
    ways
}

/// A way with all its bits in another domain, named so that [`Compiled::bits_beside`] tells it.
fn with_bits(way: &Options, bits: Domain) -> Options {
    let moved = |domain: Domain| if domain == BITS { bits } else { domain };
    let on_words = rules(way.domain).is_of_words();
    let of = |class: OpClass| match way.assigned.of(class).map(moved) {
        None if on_words && ![OpClass::Sums, OpClass::Products].contains(&class) => Some(bits),
        domain => domain,
    };
    let assigned = OpClass::ALL.into_iter().fold(way.assigned, |all, class| all.with(class, of(class)));
    Options { domain: moved(way.domain), bits, assigned, ..*way }
}

/// Whether a program asks for the least of some values.
fn has_minima(program: &Program) -> bool {
    program.templates.iter().any(|template| match &template.body {
        Body::Operations { operations, .. } => {
            operations.iter().any(|one| matches!(one.op, Op::ArgMin { .. }))
        }
        _ => false,
    })
}

/// The way whose run costs least, by drafts whose circuits are not made smaller; the first of several.
///
/// Errors: the first way that cannot be run, if none can.
fn cheapest(
    program: &Program,
    options: &Options,
    roles: &[PartyIndex],
    comparison: &Comparison<'_>,
) -> Result<Way, CompiledError> {
    let mut library = Library::default();
    let (mut best, mut failed) = (None, None);
    let mut compare = |way: Options, best: &mut Option<(u64, Options)>, ceiling: Ceiling| {
        let drafted = draft(program, (&way, ceiling), roles, &mut library);
        match drafted.and_then(|drafted| (comparison.cost)(&drafted)) {
            Ok(cost) if best.is_none_or(|(least, _)| cost < least) => *best = Some((cost, way)),
            Ok(_) | Err(CompiledError::Lower(LowerError::BeyondCeiling)) => {}
            Err(error) => failed = failed.take().or(Some(error)),
        }
    };
    for way in ways(program, options) {
        let ceiling = best.map_or_else(Ceiling::default, |(cost, _)| (comparison.ceiling)(cost));
        compare(way, &mut best, ceiling);
    }
    // The best way so far, with minima on bits and in the other domains of bits.
    if let Some((cost, way)) = best {
        if way.direct_minima && has_minima(program) {
            compare(Options { direct_minima: false, ..way }, &mut best, (comparison.ceiling)(cost));
        }
        for bits in comparison.bits.iter().filter(|bits| **bits != BITS) {
            compare(with_bits(&way, *bits), &mut best, Ceiling::default());
        }
    }
    match (best, failed) {
        (Some((_, way)), _) => Ok((way, Pins::Kept)),
        (None, Some(CompiledError::Room { .. } | CompiledError::WordsNotVerified) | None) => {
            Ok((Options { domain: BITS, ..*options }, Pins::Bits))
        }
        (None, Some(error)) => Err(error),
    }
}

fn draft(
    program: &Program,
    (way, ceiling): (&Options, Ceiling),
    roles: &[PartyIndex],
    library: &mut Library,
) -> Result<Compiled, CompiledError> {
    let way = Options { effort: 0, ..*way };
    let (pinned, options) = among(program, &way, Pins::Kept);
    let schedule = with_narrow_minima(&options, |options| {
        lower_within(&pinned, options, ceiling, library, &mut |_| {})
    })?;
    Compiled::of(program, schedule.into(), (&way, Pins::Kept), roles)
}

impl Schedules {
    /// As [`Schedules::lowered`], in the way whose run costs least; where pinned words cannot be shared among these parties, all values are bits. All
    /// requests must be for the same computation and comparison, since the choice is kept.
    ///
    /// Cost: drafts of up to seven schedules, the first time.
    ///
    /// Errors: as [`Compiled::lowered`], and those of the comparison.
    pub fn cheapest(
        &self,
        program: &Program,
        options: &Options,
        roles: &[PartyIndex],
        comparison: &Comparison<'_>,
    ) -> Result<Compiled, CompiledError> {
        let (way, pins) = self.chosen((program.hash(), *options, roles.to_vec()), || {
            cheapest(program, options, roles, comparison)
        })?;
        self.lowered(program, (&way, pins), roles)
    }
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Shape};
    use tacit_lower::Assigned;
    use tacit_math::field::Mersenne61;

    use super::*;
    use crate::runtime::forecast::Prediction;
    use crate::security::Security;

    /// Values are multiplied so many times, or compared and chosen, and then added and compared.
    fn program(products: usize) -> Program {
        let mut builder = Builder::new("chosen");
        let roles = [builder.role("A"), builder.role("B")];
        let shape =
            Shape::Array { length: 100, element: Box::new(Shape::Integer { bits: 20, signed: false }) };
        let ports = roles.map(|role| builder.input("x", role, shape.clone()).unwrap());
        let bit = Shape::Array { length: 100, element: Box::new(Shape::Integer { bits: 1, signed: false }) };
        let output = builder.output("z", roles.to_vec(), bit).unwrap();
        let mut main = builder.template("main", vec![]);
        let [x, y] = ports.map(|port| main.input(&builder, port).unwrap()[0]);
        let mut value = main.add(x, y).unwrap();
        for _ in 0..products {
            value = main.mul(value, y).unwrap();
        }
        let less = main.lt_u(value, y).unwrap();
        main.output(&builder, output, &[less]).unwrap();
        builder.finish(main).unwrap()
    }

    /// Rounds and bytes of a run among three parties, where a round counts as so many bytes.
    fn cost(compiled: &Compiled, round_bytes: u64) -> Result<u64, CompiledError> {
        let prediction: Prediction = compiled.prediction_in(&Mersenne61, (3, 1), 40)?;
        Ok(prediction.rounds * round_bytes + prediction.most_bytes_sent())
    }

    #[test]
    fn the_cheapest_way_is_taken_and_kept() {
        let usual = Options { effort: 0, ..Compiled::bit_options() };
        for (products, round_bytes) in [(0, 1), (0, 100_000), (1, 1), (6, 1), (6, 100_000)] {
            let (program, schedules) = (program(products), Schedules::default());
            let counted = std::cell::Cell::new(0);
            let of = |compiled: &Compiled| {
                counted.set(counted.get() + 1);
                cost(compiled, round_bytes)
            };
            let comparison = Comparison { cost: &of, ceiling: &|_| Ceiling::default(), bits: &[BITS] };
            let found = schedules.cheapest(&program, &usual, &[0, 1], &comparison).expect("lowers");
            let all = ways(&program, &usual);
            let costs = all.iter().map(|way| {
                let compiled = Compiled::lowered(&program, way, &[0, 1]).expect("lowers");
                cost(&compiled, round_bytes).expect("predicts")
            });
            assert_eq!(
                Some(cost(&found, round_bytes).expect("predicts")),
                costs.min(),
                "{products} products"
            );
            assert_eq!(counted.get(), all.len());
            let again = schedules.cheapest(&program, &usual, &[0, 1], &comparison).expect("lowers");
            assert_eq!((again.circuits, counted.get()), (found.circuits, all.len()), "kept");
        }
    }

    #[test]
    fn many_products_are_of_words_and_comparisons_alone_of_bits() {
        let usual = Options { effort: 0, ..Compiled::bit_options() };
        let comparison =
            Comparison { cost: &|one| cost(one, 1000), ceiling: &|_| Ceiling::default(), bits: &[BITS] };
        let has_words = |products: usize| {
            let program = program(products);
            let found = Schedules::default().cheapest(&program, &usual, &[0, 1], &comparison);
            found.expect("lowers").has_words()
        };
        assert!(has_words(6));
        let mut builder = Builder::new("compared");
        let role = builder.role("A");
        let shape = Shape::Integer { bits: 20, signed: false };
        let port = builder.input("x", role, shape).unwrap();
        let output = builder.output("z", vec![role], Shape::Integer { bits: 1, signed: false }).unwrap();
        let mut main = builder.template("main", vec![]);
        let x = main.input(&builder, port).unwrap()[0];
        let less = main.lt_u(x, x).unwrap();
        main.output(&builder, output, &[less]).unwrap();
        let compared = builder.finish(main).unwrap();
        assert_eq!(ways(&compared, &usual).len(), 1);
    }

    #[test]
    fn circuits_are_garbled_where_rounds_cost_much() {
        let usual = Options { effort: 0, ..Compiled::bit_options() };
        let bits = Compiled::bit_domains((3, 1), Security::Passive);
        assert_eq!((bits.len(), Compiled::bit_domains((4, 1), Security::Passive)), (2, vec![BITS]));
        for (round_bytes, garbled) in [(0, false), (1 << 30, true)] {
            let program = program(1);
            let comparison = Comparison {
                cost: &|one| cost(one, round_bytes),
                ceiling: &|_| Ceiling::default(),
                bits: &bits,
            };
            let found = Schedules::default().cheapest(&program, &usual, &[0, 1], &comparison);
            let found = found.expect("lowers");
            let options = found.options().expect("lowered");
            assert_eq!(options.bits == bits[1], garbled);
            assert_eq!(options.bits, Compiled::bits_beside(options.domain, options.assigned));
            let by_products = Comparison { bits: &bits[..1], ..comparison };
            let other = Schedules::default().cheapest(&program, &usual, &[0, 1], &by_products);
            let other = other.expect("lowers");
            let of = |one: &Compiled| cost(one, round_bytes).expect("predicts");
            assert_eq!(of(&found) < of(&other), garbled);
        }
    }

    #[test]
    fn classes_that_have_domains_keep_them_and_no_others_are_moved() {
        let program = program(6);
        let of_words = ways(&program, &Compiled::bit_options())[0].domain;
        for (class, domain) in [(OpClass::Products, BITS), (OpClass::Sums, of_words)] {
            let assigned = Assigned::default().with(class, Some(domain));
            let all = ways(&program, &Options { assigned, ..Compiled::bit_options() });
            assert_eq!(all.iter().map(|way| way.domain).collect::<Vec<_>>(), [of_words, BITS]);
            assert!(all.iter().all(|way| way.assigned == assigned), "{}", class.name());
        }
    }

    #[test]
    fn ways_beyond_the_ceiling_are_left_out_and_pins_without_room_are_bits() {
        let usual = Options { effort: 0, ..Compiled::bit_options() };
        let (program, tried) = (program(6), std::cell::Cell::new(0));
        let first = |_: &Compiled| {
            tried.set(tried.get() + 1);
            Ok(1)
        };
        let none = Ceiling { ands: 0, rounds: 0 };
        let comparison = Comparison { cost: &first, ceiling: &|_| none, bits: &[BITS] };
        Schedules::default().cheapest(&program, &usual, &[0, 1], &comparison).expect("lowers");
        assert_eq!(tried.get(), 1);
        let no_room = |_: &Compiled| Err(CompiledError::WordsNotVerified);
        let comparison = Comparison { cost: &no_room, ceiling: &|_| none, bits: &[BITS] };
        let found = Schedules::default().cheapest(&program, &usual, &[0, 1], &comparison).expect("lowers");
        assert!(!found.has_words());
        let fails = |_: &Compiled| Err(CompiledError::WideAnds);
        let comparison = Comparison { cost: &fails, ceiling: &|_| none, bits: &[BITS] };
        let failed = Schedules::default().cheapest(&program, &usual, &[0, 1], &comparison);
        assert!(matches!(failed, Err(CompiledError::WideAnds)));
    }
}
