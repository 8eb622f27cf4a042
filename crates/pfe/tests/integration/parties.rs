//! Shared by the tests of all protocols: circuits, bits, two parties in one thread.

use std::time::Duration;

use tacit_circuit::{Circuit, CircuitBuilder, Lit};
use tacit_crypto::Prg;
use tacit_math::Block;
use tacit_net::{Channel, Connection, Options, StreamId, memory};
use tacit_pfe::{InputOwner, PfeError, PrivateFunction, Size, half_elgamal, re_executable};

/// Maximum wait for a peer that does nothing.
pub const LIMIT: Duration = Duration::from_secs(20);

pub fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

pub fn bits(value: u128, width: u32) -> Vec<bool> {
    (0..width).map(|i| value >> i & 1 == 1).collect()
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Two ends that grant each other as little credit as possible.
pub fn pair(timeout: Duration) -> (Connection, Connection) {
    memory::pair(Options { timeout, window: Options::MIN_WINDOW, ..Options::default() })
}

/// Two ends that grant each other as much credit as in sessions.
pub fn wide_pair(timeout: Duration) -> (Connection, Connection) {
    memory::pair(Options { timeout, ..Options::default() })
}

pub fn open(connection: &Connection) -> Channel {
    connection.open(StreamId(1)).unwrap()
}

/// A circuit of `gates` gates over an input group of each party, which depends on the seed.
pub fn random_circuit(seed: u128, widths: [u32; 2], gates: usize, outputs: usize) -> Circuit {
    let (mut prg, mut builder) = (prg(seed), CircuitBuilder::new());
    let mut lits: Vec<Lit> = widths.into_iter().flat_map(|width| builder.input(width)).collect();
    let mut any = |lits: &[Lit]| {
        let word = prg.next_u64() as usize;
        lits[word / 2 % lits.len()].flip(word % 2 == 1)
    };
    for gate in 0..gates {
        let (a, b) = (any(&lits), any(&lits));
        lits.push(if gate % 2 == 0 { builder.and(a, b) } else { builder.xor(a, b) });
    }
    let outputs = (0..outputs).map(|_| any(&lits)).collect();
    builder.finish(vec![outputs]).unwrap()
}

pub fn private(circuit: &Circuit, gates: Option<usize>) -> PrivateFunction {
    let owners = [InputOwner::Holder, InputOwner::Owner];
    PrivateFunction::from_circuit(circuit, &owners, gates).unwrap()
}

/// Bytes that holder and owner sent in one phase.
pub type Sent = [u64; 2];

/// Defines a function that runs both parties of a protocol with reusable wiring.
macro_rules! run_of {
    ($name:ident, $protocol:ident) => {
        /// One run: the result, and the bytes after setup and at the end.
        pub async fn $name(
            function: PrivateFunction,
            holder_bits: &[bool],
            owner_bits: &[bool],
        ) -> (Vec<bool>, Sent, Sent) {
            let size = *function.size();
            let (a, b) = pair(LIMIT);
            let holder = async {
                let mut channel = open(&a);
                let mut holder = $protocol::Holder::new(function, &mut prg(1))?;
                let run = holder.introduce_and_prepare(&mut channel).await?;
                let setup = channel.bytes_sent();
                run.evaluate(&mut channel, holder_bits, &mut prg(2)).await?;
                let end = channel.bytes_sent();
                channel.finish().await?;
                Ok::<_, PfeError>((setup, end))
            };
            let owner = async {
                let mut channel = open(&b);
                let mut owner = $protocol::Owner::new(size);
                let run = owner.introduce_and_prepare(&mut channel, &mut prg(3)).await?;
                let setup = channel.bytes_sent();
                let result = run.evaluate(&mut channel, owner_bits, &mut prg(4)).await?;
                let end = channel.bytes_sent();
                channel.finish().await?;
                Ok::<_, PfeError>((result, setup, end))
            };
            let (holder, owner) = tokio::try_join!(holder, owner).unwrap();
            (owner.0, [holder.0, owner.1], [holder.1, owner.2])
        }
    };
}

run_of!(run, half_elgamal);
run_of!(run_re_executable, re_executable);

/// A size, as the parties announce it.
pub fn size(holder: usize, owner: usize, gates: usize, outputs: usize) -> Size {
    Size::new(holder, owner, gates, outputs).unwrap()
}
