//! The plan of a run among n parties, with a prediction of what the run sends. It is the same at all parties,
//! and they compare it before inputs are used.

use std::sync::{Arc, Mutex};

use serde::Serialize;
use tacit_math::field::Field;
use tacit_net::session;

use super::domains::Size;
use super::{Compiled, CompiledError, Giver};
use crate::constants::build;
use crate::parties::PartyIndex;
use crate::program::Task;
use crate::randomness::Randomness;
use crate::runtime::Prediction;
use crate::runtime::shared::lock;
use crate::security::Security;

/// How many predictions of one schedule are kept: those for the roles and sizes that were requested last.
const KEPT: usize = 16;

/// The parties and field of a run: the party of each role and the giver of each input, the number of parties, the threshold and the security, and, for programs with
/// words, the field's order and the statistical security.
type Sizes = ((Vec<PartyIndex>, Vec<Giver>), usize, (usize, Security), Option<FieldSizes>);

/// The order of a field, and the statistical security of masks in it.
type FieldSizes = (Vec<u64>, usize);

/// Predictions that were made of a schedule.
#[derive(Debug, Default)]
pub(super) struct Predictions(Mutex<Vec<(Sizes, Arc<Prediction>)>>);

/// The program, its parties, and a prediction of what it sends.
#[derive(Clone, Debug)]
pub struct Plan {
    program: (String, [u8; 32]),
    /// Each role with its party.
    roles: Vec<(String, String)>,
    threshold: usize,
    size: Size,
    randomness: Randomness,
    effort: Option<u64>,
    prediction: Arc<Prediction>,
    hash: [u8; 32],
}

/// The data that is hashed, in this order, in postcard's encoding.
#[derive(Serialize)]
struct Hashed<'a> {
    build: [u8; 32],
    program: [u8; 32],
    circuits: [u8; 32],
    roles: &'a [(String, String)],
    parties: &'a [String],
    threshold: usize,
    effort: Option<u64>,
    field: Option<FieldSizes>,
    prediction: &'a Prediction,
}

impl Compiled {
    /// The plan of a run among the parties of a task.
    ///
    /// Cost: the first time for these roles and parties as [`Compiled::prediction`].
    ///
    /// Errors: as [`Compiled::prediction`].
    pub fn plan<F: Field>(&self, task: &Task<F>) -> Result<Plan, CompiledError> {
        self.check_verifiable(task)?;
        self.check_parties(task)?;
        let (names, threshold) = (task.names(), task.scheme().threshold());
        let field = self.has_words().then(|| (task.field().order(), task.statistical_bits()));
        let prediction = self.known_prediction(task, field.clone())?;
        let role = |(role, party): &(String, PartyIndex)| Some((role.clone(), names.get(*party)?.clone()));
        let roles: Vec<_> = self.roles.iter().filter_map(role).collect();
        let effort = self.lowering.map(|(options, _)| options.effort);
        let hashed = Hashed {
            build: build().hash(),
            program: self.program.1,
            circuits: self.circuits,
            roles: &roles,
            parties: names,
            threshold,
            effort,
            field,
            prediction: &prediction,
        };
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 plan among parties, version 2");
        postcard::to_io(&hashed, &mut hasher).map_err(|_| CompiledError::OtherSchedule)?;
        let hash = *hasher.finalize().as_bytes();
        let (program, randomness) = (self.program.clone(), task.scheme().randomness());
        let size = Size::of(task, &self.schedule);
        Ok(Plan { program, roles, threshold, size, randomness, effort, prediction, hash })
    }

    fn known_prediction<F: Field>(
        &self,
        task: &Task<F>,
        field: Option<FieldSizes>,
    ) -> Result<Arc<Prediction>, CompiledError> {
        let roles = self.roles.iter().map(|(_, party)| *party).collect();
        let givers = self.inputs.iter().map(|place| place.giver).collect();
        let (parties, threshold) = (task.names().len(), task.scheme().threshold());
        let has_words = field.is_some();
        let security = task.scheme().security();
        let sizes = ((roles, givers), parties, (threshold, security), field);
        if let Some((_, known)) = lock(&self.predictions.0).iter().find(|(known, _)| *known == sizes) {
            return Ok(known.clone());
        }
        let prediction = Arc::new(match has_words {
            true => self.prediction_in(task.field(), (parties, threshold), task.statistical_bits())?,
            false => self.prediction_against(security, (parties, threshold))?,
        });
        let mut kept = lock(&self.predictions.0);
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push((sizes, prediction.clone()));
        Ok(prediction)
    }
}

impl Plan {
    /// BLAKE3 hash of the program's canonical form.
    pub fn program_hash(&self) -> &[u8; 32] {
        &self.program.1
    }

    /// BLAKE3 hash of everything that the parties must agree on: this build, the program and its circuits, parties, roles, threshold, effort, the field where it matters, and the prediction.
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// Each role with its party.
    pub fn roles(&self) -> &[(String, String)] {
        &self.roles
    }

    /// The threshold: this many parties learn nothing, even together.
    pub fn threshold(&self) -> usize {
        self.threshold
    }

    /// The parties, and the widest word.
    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// Where random sharings come from.
    pub(super) fn randomness(&self) -> Randomness {
        self.randomness
    }

    /// The limit on the work of making circuits smaller, in steps, if lowering was part of this run.
    pub fn effort(&self) -> Option<u64> {
        self.effort
    }

    /// What the run sends.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// Everything that must be equal at all parties, the most informative first.
    pub fn fields(&self) -> Vec<session::Field> {
        let short = |hash: &[u8; 32]| hash[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (name, hash) = &self.program;
        let roles: Vec<_> = self.roles.iter().map(|(role, party)| format!("{role} is {party}")).collect();
        let effort = self.effort.map(|effort| session::Field::text("effort", effort.to_string()));
        let program = session::Field::new("program", *hash, format!("{name} {}", short(hash)));
        let plan = session::Field::new("plan", self.hash, short(&self.hash));
        [program, session::Field::text("roles", roles.join(", "))]
            .into_iter()
            .chain(effort)
            .chain([plan])
            .collect()
    }
}
