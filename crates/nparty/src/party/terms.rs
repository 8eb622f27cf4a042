//! On which terms parties join a computation.

use tacit_math::field::Field;
use tacit_net::keys::SecretKey;
use tacit_net::session::{self, Config};
use tacit_store::Store;

use crate::constants::build;
use crate::error::{RunError, UsageError};
use crate::runtime::security::{check_statistical_bits, check_verifiable};
use crate::scheme::Scheme;
use crate::security::Security;

/// How a party of a computation comes to be.
pub struct JoinTerms<F> {
    /// The parties and their links.
    pub config: Config,
    /// This party's name.
    pub me: String,
    /// Its key.
    pub key: Option<SecretKey>,
    /// The field computed in.
    pub field: F,
    /// How many parties learn nothing even together; below half of all.
    pub threshold: usize,
    /// Against whom the computation is protected, the same at all parties.
    pub security: Security,
    /// Statistical security in bits, the same at all parties: at least [`LEAST_STATISTICAL_BITS`](crate::runtime::LEAST_STATISTICAL_BITS), and no more than the field's random elements have.
    pub statistical_bits: usize,
    /// What else must be the same at all parties: the program, say.
    pub fields: Vec<session::Field>,
    /// What was made ahead, if it is to be spent or more is to be kept.
    pub store: Option<Store>,
}

impl<F> JoinTerms<F> {
    /// The same, in another field.
    pub(crate) fn in_field<G>(self, field: G) -> JoinTerms<G> {
        let JoinTerms { config, me, key, field: _, threshold, security, statistical_bits, fields, store } =
            self;
        JoinTerms { config, me, key, field, threshold, security, statistical_bits, fields, store }
    }
}

impl<F: Field> JoinTerms<F> {
    /// Refuses what this computation cannot keep.
    pub(super) fn check(&self) -> Result<(), RunError> {
        if !self.config.computes(&self.me) {
            return Err(UsageError::NotComputing { party: self.me.clone() }.into());
        }
        check_statistical_bits(&self.field, self.statistical_bits)?;
        match self.security {
            Security::Passive => Ok(()),
            Security::Active if self.store.is_some() => {
                Err(UsageError::PassiveOnly { what: "material from a store" }.into())
            }
            Security::Active => check_verifiable(&self.field, self.statistical_bits),
        }
    }
}

impl<F: Field> JoinTerms<F> {
    /// The parties that compute, in the order of names.
    pub(crate) fn computing(&self) -> Vec<String> {
        self.names(|name| self.config.computes(name))
    }

    /// Those that do not.
    pub(super) fn outside(&self) -> Vec<String> {
        self.names(|name| !self.config.computes(name))
    }

    fn names(&self, which: impl Fn(&str) -> bool) -> Vec<String> {
        let names = self.config.parties.iter().map(|party| &party.name).filter(|name| which(name));
        let mut names: Vec<_> = names.cloned().collect();
        names.sort();
        names
    }

    /// How the computing parties share.
    ///
    /// Errors: their number, the threshold and the field do not fit.
    pub(crate) fn scheme(&self) -> Result<Scheme<F>, RunError> {
        let scheme = Scheme::new(self.field.clone(), self.computing().len(), self.threshold)?;
        Ok(scheme.with_security(self.security))
    }

    /// What all parties must have the same.
    pub(crate) fn greeting(&self, scheme: &Scheme<F>) -> Vec<session::Field> {
        let order: Vec<_> = scheme.field().order().iter().rev().map(|limb| format!("{limb:016x}")).collect();
        let mut fields = build().fields();
        fields.push(session::Field::text("field of order", format!("0x{}", order.concat())));
        fields.push(session::Field::text("threshold", self.threshold.to_string()));
        fields.push(session::Field::text("security", self.security.name()));
        fields.push(session::Field::text("statistical security", format!("{} bits", self.statistical_bits)));
        fields.push(session::Field::text("random sharings", scheme.randomness().describe()));
        fields.extend(self.fields.iter().cloned());
        fields
    }

    /// The session of those that compute, whom others may come to see too early.
    pub(super) fn inner(&self) -> Config {
        let mut config = self.config.clone();
        (config.parties, config.early_parties) =
            config.parties.into_iter().partition(|party| self.config.computes(&party.name));
        config.computing = Vec::new();
        config
    }

    /// What those that compute must have the same besides: who else there is.
    pub(super) fn outside_field(&self) -> Option<session::Field> {
        let key = |party: &session::Party| party.key.map_or("no key".to_owned(), |key| key.to_string());
        let outside = self.config.parties.iter().filter(|party| !self.config.computes(&party.name));
        let mut outside: Vec<_> = outside.map(|party| format!("{} ({})", party.name, key(party))).collect();
        outside.sort();
        let text = outside.join(", ");
        let hash = *blake3::hash(text.as_bytes()).as_bytes();
        (!outside.is_empty()).then(|| session::Field::new("parties that do not compute", hash, text))
    }
}
