//! Triples in setup, by transfers and by lattices: for a layer of a network with one input and with a batch of 16, and for many
//! words.

use crate::BITS;
use crate::harness::{Cost, Outcome, best, mark, row, since};
use tacit_crypto::Prg;
use tacit_net::{Channel, StreamId};
use tacit_ot::softspoken::Params;
use tacit_twoparty::ShareError;
use tacit_twoparty::correlations::{
    LatticeMatrices, LatticeWords, MatrixShape, Ots, Pool, Requirement, key_size,
};
use tacit_twoparty::lattice_keys::{KeySize, LatticeKeys};

/// Words of a batch, as many as 16 ciphertexts hold.
const WORDS: u64 = 1 << 17;

pub fn matrices() -> Outcome<()> {
    for (name, columns) in [("a vector", 1), ("a batch of 16", 16)] {
        let shape = MatrixShape { bits: BITS, rows: 128, inner: 784, columns };
        let size = key_size(shape).ok_or("lattices do not take this shape")?;
        let requirement = Requirement { matrix_triples: [(shape, 1)].into(), ..Requirement::default() };
        let name = format!("triple of 128 x 784 by {name}, 32 bits");
        rows(&format!("{name}, by transfers"), by_transfers(&requirement)?);
        let made = LatticeMatrices::take_from(&mut requirement.clone(), |_| true);
        let [keys, lattices] = by_lattices(&Lattices::Matrices(made, size))?;
        rows(&format!("{name}, keys once a session"), keys);
        rows(&format!("{name}, by lattices"), lattices);
    }
    Ok(())
}

pub fn words() -> Outcome<()> {
    for bits in [32, 64, 128] {
        let products = Requirement { word_triples: [(bits, WORDS)].into(), ..Requirement::default() };
        let squares = Requirement { square_pairs: [(bits, WORDS)].into(), ..Requirement::default() };
        for (name, requirement) in [("triples", products), ("squares", squares)] {
            let name = format!("{WORDS} {name}, {bits} bits");
            rows(&format!("{name}, by transfers"), by_transfers(&requirement)?);
            let made = LatticeWords::take_from(&mut requirement.clone(), |_| true);
            let [keys, lattices] = by_lattices(&Lattices::Words(made))?;
            rows(&format!("{name}, keys once a session"), keys);
            rows(&format!("{name}, by lattices"), lattices);
        }
    }
    Ok(())
}

/// Material that lattices make.
enum Lattices {
    Matrices(LatticeMatrices, KeySize),
    Words(LatticeWords),
}

impl Lattices {
    async fn keys(
        &self,
        keys: &mut LatticeKeys,
        channel: &mut Channel,
        prg: &mut Prg,
    ) -> Result<(), ShareError> {
        match self {
            Lattices::Matrices(_, size) => keys.make(channel, *size, prg).await,
            Lattices::Words(_) => keys.make_slots(channel, prg).await,
        }
    }

    async fn pieces(
        &self,
        ots: &mut Ots,
        keys: &mut LatticeKeys,
        channel: &mut Channel,
    ) -> Result<(), ShareError> {
        let mut pool = Pool::default();
        match self {
            Lattices::Matrices(matrices, _) => matrices.make(ots, keys, channel, &mut pool).await,
            Lattices::Words(words) => words.make(ots, keys, channel, &mut pool).await,
        }
    }
}

fn by_transfers(requirement: &Requirement) -> Outcome<Cost> {
    let [made] = best(async |party, connection| {
        let mut channel = connection.open(StreamId(1))?;
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &[1; 32], Prg::from_os()?).await?;
        let start = mark(&channel);
        Pool::make(&mut ots, &mut channel, requirement).await?;
        let made = since(&channel, start);
        channel.finish().await?;
        Ok([made])
    })?;
    Ok(made)
}

/// The costs of the keys, and of the pieces.
fn by_lattices(lattices: &Lattices) -> Outcome<[Cost; 2]> {
    best(async |party, connection| {
        let mut channel = connection.open(StreamId(1))?;
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &[1; 32], Prg::from_os()?).await?;
        let mut keys = LatticeKeys::default();
        let start = mark(&channel);
        lattices.keys(&mut keys, &mut channel, &mut Prg::from_os()?).await?;
        let made_keys = since(&channel, start);
        let start = mark(&channel);
        lattices.pieces(&mut ots, &mut keys, &mut channel).await?;
        let made = since(&channel, start);
        channel.finish().await?;
        Ok([made_keys, made])
    })
}

fn rows(name: &str, cost: Cost) {
    row(name, cost.seconds, "s");
    row(&format!("{name}, by the busier party's processor time"), cost.busy, "s");
    row(&format!("{name}, bytes of both parties"), cost.bytes as f64, "B");
}
