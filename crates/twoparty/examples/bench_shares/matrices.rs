//! Triples of matrices in setup, by transfers and by lattices: a layer of a network for one input, and for a batch of 16.

use crate::BITS;
use crate::harness::{Cost, Outcome, best, mark, row, since};
use tacit_crypto::Prg;
use tacit_net::{Channel, StreamId};
use tacit_ot::softspoken::Params;
use tacit_twoparty::correlations::{
    LatticeMatrices, MatrixShape, MatrixTriples, Ots, PieceCounts, Pool, Requirement, key_size,
};
use tacit_twoparty::lattice_keys::LatticeKeys;

pub fn triples() -> Outcome<()> {
    for (name, columns) in [("a vector", 1), ("a batch of 16", 16)] {
        let shape = MatrixShape { bits: BITS, rows: 128, inner: 784, columns };
        let size = key_size(shape).ok_or("lattices do not take this shape")?;
        let name = format!("triple of 128 x 784 by {name}, 32 bits");
        let [transfers] = best(async |party, connection| {
            let mut channel = connection.open(StreamId(1))?;
            let mut ots = Ots::setup(&mut channel, party, Params::K4, &[1; 32], Prg::from_os()?).await?;
            let start = mark(&channel);
            Pool::make(&mut ots, &mut channel, &requirement(shape)).await?;
            let made = since(&channel, start);
            channel.finish().await?;
            Ok([made])
        })?;
        rows(&format!("{name}, by transfers"), transfers);
        let [keys, lattices] = best(async |party, connection| {
            let mut channel = connection.open(StreamId(1))?;
            let mut ots = Ots::setup(&mut channel, party, Params::K4, &[1; 32], Prg::from_os()?).await?;
            let mut keys = LatticeKeys::default();
            let start = mark(&channel);
            keys.make(&mut channel, size, &mut Prg::from_os()?).await?;
            let made_keys = since(&channel, start);
            let start = mark(&channel);
            make(&mut ots, &mut keys, &mut channel, shape).await?;
            let made = since(&channel, start);
            channel.finish().await?;
            Ok([made_keys, made])
        })?;
        rows(&format!("{name}, keys once a session"), keys);
        rows(&format!("{name}, by lattices"), lattices);
    }
    Ok(())
}

fn requirement(shape: MatrixShape) -> Requirement {
    let matrix_triples: PieceCounts<MatrixTriples> = [(shape, 1)].into();
    Requirement { matrix_triples, ..Requirement::default() }
}

async fn make(
    ots: &mut Ots,
    keys: &mut LatticeKeys,
    channel: &mut Channel,
    shape: MatrixShape,
) -> Outcome<()> {
    let lattices = LatticeMatrices::take_from(&mut requirement(shape), |_| true);
    Ok(lattices.make(ots, keys, channel, &mut Pool::default()).await?)
}

fn rows(name: &str, cost: Cost) {
    row(name, cost.seconds, "s");
    row(&format!("{name}, by the busier party's processor time"), cost.busy, "s");
    row(&format!("{name}, bytes of both parties"), cost.bytes as f64, "B");
}
