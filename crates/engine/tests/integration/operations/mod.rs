//! A program with every operation on two words, in any domains, of any width and number of lanes.

use tacit_ir::{Builder, Domain, Program, Shape, TemplateBuilder, ValueId, Words};

pub const WIDTHS: [u32; 9] = [1, 7, 8, 16, 31, 32, 63, 64, 128];
pub const LANES: [u32; 4] = [1, 3, 64, 1000];

type Write = fn(&mut TemplateBuilder, ValueId, ValueId) -> ValueId;

/// Operations on two words of one type.
pub const OPERATIONS: [(&str, Write); 12] = [
    ("add", |t, x, y| t.add(x, y).unwrap()),
    ("sub", |t, x, y| t.sub(x, y).unwrap()),
    ("mul", |t, x, y| t.mul(x, y).unwrap()),
    ("square", |t, x, _| t.mul(x, x).unwrap()),
    ("neg", |t, x, _| t.neg(x).unwrap()),
    ("and", |t, x, y| t.and(x, y).unwrap()),
    ("xor", |t, x, y| t.xor(x, y).unwrap()),
    ("lt_u", |t, x, y| t.lt_u(x, y).unwrap()),
    ("lt_s", |t, x, y| t.lt_s(x, y).unwrap()),
    ("eq", |t, x, y| t.eq(x, y).unwrap()),
    ("select", |t, x, y| {
        let less = t.lt_u(x, y).unwrap();
        t.select(less, y, x).unwrap()
    }),
    ("sum", |t, x, y| {
        let product = t.mul(x, y).unwrap();
        t.add(product, y).unwrap()
    }),
];

/// All operations on words pinned to two domains, each result pinned to a third.
pub fn operations(bits: u32, lanes: u32, [x_in, y_in, out]: [Domain; 3]) -> Program {
    let shape = |bits| Shape::Array { length: lanes, element: Shape::Integer { bits, signed: false }.into() };
    let mut builder = Builder::new("operations");
    let roles = [builder.role("A"), builder.role("B")];
    let inputs = roles.map(|role| builder.input("x", role, shape(bits)).unwrap());
    let mut main = builder.template("main", vec![]);
    let [x, y] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let (x, y) = (main.pin(x_in, x).unwrap(), main.pin(y_in, y).unwrap());
    for (name, write) in OPERATIONS {
        let result = write(&mut main, x, y);
        let tacit_ir::Type::Word(width) = main.value_type(result).ty else { unreachable!() };
        let result = main.pin(out, result).unwrap();
        let output = builder.output(name, roles.to_vec(), shape(width)).unwrap();
        main.output(&builder, output, &[result]).unwrap();
    }
    builder.finish(main).unwrap()
}

pub fn words(seed: u64, bits: u32, lanes: u32) -> Words {
    let mut state = u128::from(seed) << 64 | u128::from(bits) << 32 | u128::from(lanes);
    let mut next = || {
        state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
        (state ^ state >> 67) & (u128::MAX >> (128 - bits))
    };
    // The extremes first.
    let mut values: Vec<u128> = vec![0, u128::MAX >> (128 - bits), 1];
    values.resize_with(lanes as usize, &mut next);
    Words::from_u128s(bits, &values[..lanes as usize])
}

/// Every combination of three domains in which nothing is encrypted.
pub fn all_domains() -> impl Iterator<Item = [Domain; 3]> {
    let all = [Domain::Arith, Domain::Bool, Domain::Yao];
    (0..27).map(move |i| [all[i / 9], all[i / 3 % 3], all[i % 3]])
}

/// Every combination of three domains in which something is encrypted.
pub fn encrypted_domains() -> impl Iterator<Item = [Domain; 3]> {
    let all = [Domain::Arith, Domain::Bool, Domain::Yao, Domain::He];
    let triples = (0..64).map(move |i| [all[i / 16], all[i / 4 % 4], all[i % 4]]);
    triples.filter(|domains| domains.contains(&Domain::He))
}
