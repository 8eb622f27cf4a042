//! Products and squares of many words shared by sum, with triples from transfers and from lattices: against the interpreter, and
//! traffic against the plan's prediction.

use tacit_ir::{Builder, Domain, Program, Shape};
use tacit_net::Phase;
use tacit_plan::{Link, MatrixChoice, PlanOptions, TransferChoice};
use tacit_schedule::Consumed;

use crate::matrix_products::check;

const NARROW: Link = Link { bits_per_second: 10_000_000, round_us: 20_000 };

/// The products of words of A and of B, pairwise, and the squares of those of A, if requested.
pub fn program(bits: u32, lanes: u32, squares: bool) -> Program {
    let array = Shape::Array { length: lanes, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("words");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, array.clone()).unwrap());
    let product = builder.output("product", roles.to_vec(), array.clone()).unwrap();
    let square = squares.then(|| builder.output("square", roles.to_vec(), array).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| {
        let value = main.input(&builder, port).unwrap()[0];
        main.pin(Domain::Arith, value).unwrap()
    });
    let z = main.mul(x, y).unwrap();
    main.output(&builder, product, &[z]).unwrap();
    if let Some(square) = square {
        let z = main.mul(x, x).unwrap();
        main.output(&builder, square, &[z]).unwrap();
    }
    builder.finish(main).unwrap()
}

/// The kinds that lattices make for a program.
fn made(program: &Program, options: &PlanOptions) -> Vec<Consumed> {
    tacit_engine::plan(program, options).unwrap().lattices().all().into_iter().collect()
}

#[test]
fn the_planned_link_the_width_and_the_number_decide_who_makes_triples() {
    let narrow = PlanOptions { link: NARROW, ..PlanOptions::default() };
    let wide = program(64, 16_000, true);
    assert_eq!(made(&wide, &narrow), [Consumed::Product { bits: 64 }, Consumed::Square { bits: 64 }]);
    assert_eq!(made(&wide, &PlanOptions { matrices: MatrixChoice::Ot, ..narrow.clone() }), []);
    assert_eq!(made(&program(64, 50, true), &narrow), []);
    // Silent transfers send less for short words.
    assert_eq!(made(&program(16, 16_000, true), &narrow), []);
    let asked = PlanOptions { matrices: MatrixChoice::Lattice, ..PlanOptions::default() };
    assert_eq!(made(&program(64, 50, false), &asked), []);
    assert_eq!(made(&program(64, 16_000, false), &asked), [Consumed::Product { bits: 64 }]);
}

#[test]
fn products_and_squares_by_lattices_agree_with_the_interpreter() {
    for (bits, lanes) in [(64, 16_000), (100, 8000)] {
        let program = program(bits, lanes, true);
        for matrices in [MatrixChoice::Lattice, MatrixChoice::Auto] {
            let options = PlanOptions { link: NARROW, matrices, ..PlanOptions::default() };
            assert!(!made(&program, &options).is_empty());
            check(&program, &options);
        }
    }
    let soft = PlanOptions {
        link: NARROW,
        transfers: TransferChoice::SoftSpoken,
        matrices: MatrixChoice::Lattice,
        ..PlanOptions::default()
    };
    let program = program(32, 16_000, false);
    assert_eq!(made(&program, &soft), [Consumed::Product { bits: 32 }]);
    check(&program, &soft);
}

#[test]
fn lattices_send_a_fraction_of_what_transfers_send() {
    let program = program(64, 16_384, false);
    let sent = |matrices| {
        let transfers = TransferChoice::SoftSpoken;
        let both =
            check(&program, &PlanOptions { link: NARROW, matrices, transfers, ..PlanOptions::default() });
        both.garbler.report.phase(Phase::Setup).unwrap().payload_sent.unwrap()
    };
    assert!(sent(MatrixChoice::Ot) > 3 * sent(MatrixChoice::Auto));
}
