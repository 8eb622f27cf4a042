//! The terms on which parties join a computation.

use tacit_math::field::Field;
use tacit_net::keys::SecretKey;
use tacit_net::session::{self, Config};
use tacit_store::Store;

use crate::constants::build;
use crate::error::{RunError, UsageError};
use crate::runtime::security::{check_statistical_bits, check_verifiable};
use crate::scheme::Scheme;
use crate::security::Security;

/// The terms on which a party joins a computation.
pub struct JoinTerms<F> {
    /// The parties and their links.
    pub config: Config,
    /// This party's name.
    pub me: String,
    /// Its key.
    pub key: Option<SecretKey>,
    /// The field of the computation.
    pub field: F,
    /// How many parties learn nothing even together; below half of all parties.
    pub threshold: usize,
    /// Whether the computation is protected against parties that depart from the protocol; the same at all
    /// parties.
    pub security: Security,
    /// Statistical security in bits, the same at all parties: at least [`LEAST_STATISTICAL_BITS`](crate::runtime::LEAST_STATISTICAL_BITS), and no more than the field's random elements have.
    pub statistical_bits: usize,
    /// Other fields that must be the same at all parties, such as the program.
    pub fields: Vec<session::Field>,
    /// The store, if prepared material is to be used or kept.
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
    /// Refuses terms that this computation cannot meet.
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

    /// The parties that do not compute, in the order of names.
    pub(super) fn outside(&self) -> Vec<String> {
        self.names(|name| !self.config.computes(name))
    }

    fn names(&self, which: impl Fn(&str) -> bool) -> Vec<String> {
        let names = self.config.parties.iter().map(|party| &party.name).filter(|name| which(name));
        let mut names: Vec<_> = names.cloned().collect();
        names.sort();
        names
    }

    /// The scheme of the computing parties.
    ///
    /// Errors: their number, the threshold and the field do not fit.
    pub(crate) fn scheme(&self) -> Result<Scheme<F>, RunError> {
        let scheme = Scheme::new(self.field.clone(), self.computing().len(), self.threshold)?;
        Ok(scheme.with_security(self.security))
    }

    /// Fields that must be the same at all parties.
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

    /// The session of the computing parties, to which outside parties may come too early.
    pub(super) fn inner(&self) -> Config {
        let mut config = self.config.clone();
        (config.parties, config.early_parties) =
            config.parties.into_iter().partition(|party| self.config.computes(&party.name));
        config.computing = Vec::new();
        config
    }

    /// A further field that must be the same at all computing parties: the outside parties.
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
