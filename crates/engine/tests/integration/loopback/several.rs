//! More than two parties, of which two compute.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use tacit_ir::{Builder, Domain, Program, Shape, Words};
use tacit_net::keys::{SecretKey, generate};
use tacit_net::session::{Config, Party};
use tacit_net::socket::Address;

pub fn array(bits: u32, lanes: u32, signed: bool) -> Shape {
    Shape::Array { length: lanes, element: Shape::Integer { bits, signed }.into() }
}

/// Parties of a session on the loopback interface, with their keys and listeners.
pub fn site(names: &[&str], computing: [&str; 2], timeout: Duration) -> Vec<(Config, SecretKey)> {
    let bound: Vec<TcpListener> = names.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let keys: Vec<_> = names.iter().map(|_| generate().unwrap()).collect();
    let party = |((name, listener), key): ((&&str, &TcpListener), &(SecretKey, _))| Party {
        name: (*name).to_owned(),
        address: Address::Tcp(listener.local_addr().unwrap().to_string()),
        key: Some(key.1),
    };
    let parties: Vec<Party> = names.iter().zip(&bound).zip(&keys).map(party).collect();
    let config = Config { timeout, computing: computing.map(str::to_owned).to_vec(), ..Config::new(parties) };
    let with = |(listener, (secret, _)): (TcpListener, (SecretKey, _))| {
        (Config { listener: Some(Arc::new(listener)), ..config.clone() }, secret)
    };
    bound.into_iter().zip(keys).map(with).collect()
}

/// `sum` of the inputs of A, B and C, for C and D, and whether it is large, for A.
pub fn survey(domain: Domain) -> Program {
    let mut builder = Builder::new("survey");
    let [a, b, c, d] = ["A", "B", "C", "D"].map(|name| builder.role(name));
    let inputs = [a, b, c].map(|role| builder.input("x", role, array(16, 70, false)).unwrap());
    let sum = builder.output("sum", vec![c, d], array(16, 70, false)).unwrap();
    let large = builder.output("large", vec![a], array(1, 70, false)).unwrap();
    let mut main = builder.template("main", vec![]);
    let [x, y, z] = inputs.map(|port| main.input(&builder, port).unwrap()[0]);
    let [x, y, z] = [x, y, z].map(|value| main.pin(domain, value).unwrap());
    let first = main.add(x, y).unwrap();
    let all = main.add(first, z).unwrap();
    let limit = main.constant(Words::from_u128s(16, &[30_000; 70])).unwrap();
    let above = main.lt_u(limit, all).unwrap();
    main.output(&builder, sum, &[all]).unwrap();
    main.output(&builder, large, &[above]).unwrap();
    builder.finish(main).unwrap()
}

pub fn survey_inputs() -> Vec<Vec<Words>> {
    let column = |factor: u128| {
        Words::from_u128s(16, &(0..70).map(|lane| (lane * factor) & 0xffff).collect::<Vec<_>>())
    };
    [391, 7127, 60_013].map(|factor| vec![column(factor)]).to_vec()
}
