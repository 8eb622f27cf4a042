//! A server and its assistant over a channel in memory.

use tacit_compare::{
    Assistant, CompareError, Form, Half, Inputs, Parameters, Relation, Results, Server, seal,
};
use tacit_crypto::Prg;
use tacit_he::Threads;
use tacit_he::dgk::ModulusSize;
use tacit_math::Block;
use tacit_net::{Channel, Connection, Options, StreamId, memory};

/// Enough randomness for a test.
const PREPARED: usize = 3200;

pub const RELATIONS: [Relation; 5] =
    [Relation::Greater, Relation::GreaterOrEqual, Relation::Less, Relation::LessOrEqual, Relation::Equal];

pub const FORMS: [Form; 3] = [Form::Prices, Form::Private, Form::Sealed];

pub struct Pair {
    pub parameters: Parameters,
    pub server: Server,
    pub assistant: Assistant,
    pub channels: [Channel; 2],
    /// Channels end when these are dropped.
    _connections: [Connection; 2],
    pub prg: Prg,
}

pub fn toy(bits: u32, results: Results) -> Parameters {
    Parameters::insecure(ModulusSize::insecure(256).unwrap(), 48, bits, results).unwrap()
}

pub fn channels() -> ([Channel; 2], [Connection; 2]) {
    let (a, b) = memory::pair(Options::default());
    ([a.open(StreamId(1)).unwrap(), b.open(StreamId(1)).unwrap()], [a, b])
}

impl Pair {
    pub async fn new(parameters: Parameters) -> Pair {
        let (mut channels, _connections) = channels();
        let server = Server::generate(parameters, Threads::ONE).unwrap();
        let [a, b] = &mut channels;
        let (sent, assistant) =
            tokio::join!(server.introduce(a), Assistant::meet(parameters, Threads::all(), b));
        sent.unwrap();
        let assistant = assistant.unwrap();
        Pair { parameters, server, assistant, channels, _connections, prg: Prg::new(Block(7)) }
    }

    /// Replaces the randomness that was used.
    pub fn prepare(&mut self) {
        self.server.prepare(PREPARED.saturating_sub(self.server.prepared())).unwrap();
        self.assistant.prepare(PREPARED.saturating_sub(self.assistant.prepared()));
    }

    pub fn seal(&mut self, numbers: &[u64]) -> [Vec<Half>; 2] {
        let halves = numbers.iter().map(|number| seal(&self.parameters, *number, &mut self.prg).unwrap());
        let (a, b) = halves.map(|[a, b]| (a, b)).unzip();
        [a, b]
    }

    /// The results; shared ones are combined.
    pub async fn compare(
        &mut self,
        form: Form,
        relation: Relation,
        results: Results,
        left: &[u64],
        right: &[u64],
    ) -> Result<Vec<bool>, CompareError> {
        let ([la, lb], [ra, rb]) = (self.seal(left), self.seal(right));
        let [a, b] = match form {
            Form::Prices => [&la, &lb].map(|bids| Inputs::Prices { bids, prices: right }),
            Form::Private => [left, right].map(|numbers| Inputs::Private { numbers }),
            Form::Sealed => [(&la, &ra), (&lb, &rb)].map(|(left, right)| Inputs::Sealed { left, right }),
        };
        let [to_b, to_a] = &mut self.channels;
        match results {
            Results::Revealed => {
                let (found, done) = tokio::join!(
                    self.server.reveal(to_b, relation, a),
                    self.assistant.reveal(to_a, relation, b)
                );
                done.and(found)
            }
            Results::Shared => {
                let (one, other) = tokio::join!(
                    self.server.share(to_b, relation, a),
                    self.assistant.share(to_a, relation, b)
                );
                Ok(one?.iter().zip(other?.iter()).map(|(one, other)| one ^ other).collect())
            }
        }
    }

    /// Compares in batches, and checks all results against those in the clear.
    pub async fn holds(&mut self, form: Form, relation: Relation, results: Results, pairs: &[(u64, u64)]) {
        for batch in pairs.chunks(16) {
            self.prepare();
            let (left, right): (Vec<u64>, Vec<u64>) = batch.iter().copied().unzip();
            let found = self.compare(form, relation, results, &left, &right).await.unwrap();
            let expected: Vec<bool> =
                batch.iter().map(|(left, right)| relation.holds(*left, *right)).collect();
            assert_eq!(found, expected, "{form:?} {relation:?} {results:?} {batch:?}");
        }
    }
}
