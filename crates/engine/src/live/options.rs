//! The options of runs in a live session.

use tacit_net::session::Field;
use tacit_ot::cot::Extension;
use tacit_plan::{
    DomainChoice, GarblerChoice, Garbling, Limits, Link, Material, MatrixChoice, ModeChoice, Named,
    Objective, PlanOptions, Prices, SecurityParams, Tariff, TransferExtension,
};
use tacit_schedule::rules;

use crate::report::ReportedOptions;
use crate::{OptionError, YaoPrices, prices};

/// The number of oblivious transfers for which a session is planned, since the number of its programs' inputs
/// is unknown.
const TRANSFERS: u64 = 1 << 17;

/// The options of a live session. Both parties compare them when they meet.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    pub(crate) security: SecurityParams,
    pub(crate) garbling: Garbling,
    pub(crate) transfers: TransferExtension,
    /// Not used, since no live session multiplies matrices of shared words; only for the report.
    pub(crate) matrices: MatrixChoice,
    pub(crate) link: Link,
    pub(crate) lowering: tacit_lower::Options,
}

impl LiveOptions {
    /// The options of a live session from the options of runs. Transfers `auto` are resolved to the extension that makes 2^17 of
    /// them soonest over the planned link.
    ///
    /// # Errors
    /// [`OptionError::Unfit`] for values that are not shared by labels, for tables that are sent ahead, for limits, and for a
    /// garbler.
    pub fn of(options: &PlanOptions) -> Result<LiveOptions, OptionError> {
        let unfit = |name, value: &str, reason| {
            let (value, place) = (value.to_owned(), "in a reactive session");
            Err(OptionError::Unfit { name, value, place, reason })
        };
        let Limits { bytes, milliseconds, memory } = options.limits;
        for (name, limit) in [("most_bytes", bytes), ("most_ms", milliseconds), ("most_memory", memory)] {
            if let Some(limit) = limit {
                return unfit(name, &limit.to_string(), "nothing is predicted before it runs; leave it out");
            }
        }
        let Tariff { gigabyte, core_hour } = options.tariff;
        for (name, price) in [("gigabyte_price", gigabyte), ("core_hour_price", core_hour)] {
            if price > 0 {
                return unfit(
                    name,
                    &format!("{price} millionths"),
                    "nothing is planned before it runs; leave it out",
                );
            }
        }
        let classes = options.lowering.assigned;
        if !classes.is_empty() {
            return unfit("classes", &classes.to_string(), "all its values are garbled; leave it out");
        }
        if let GarblerChoice::Named(name) = &options.garbler {
            return unfit("garbler", name, "the party whose name sorts first garbles; leave it out");
        }
        match (options.mode, options.domain) {
            (mode @ ModeChoice::Precomputed, _) => {
                let reason = "the program is not known before it runs; leave it out or say streamed";
                unfit("mode", mode.name(), reason)
            }
            (_, choice @ DomainChoice::In(domain)) if !rules(domain).is_garbled() => {
                unfit("domain", choice.name(), "all its values are garbled; leave it out")
            }
            _ if options.objective != Objective::default() => {
                let reason = "nothing is planned before it runs; leave it out";
                unfit("objective", options.objective.name(), reason)
            }
            _ => Ok(LiveOptions {
                security: options.security,
                garbling: options.garbling,
                matrices: options.matrices,
                transfers: YaoPrices.transfers(&Material::default(), TRANSFERS, options),
                link: options.link,
                lowering: tacit_lower::Options {
                    effort: options.lowering.effort,
                    ..tacit_lower::Options::default()
                },
            }),
        }
    }

    /// The options as reports show them.
    pub(super) fn reported(&self) -> ReportedOptions {
        ReportedOptions {
            garbling: self.garbling,
            transfers: self.transfers,
            matrices: self.matrices,
            planned_link: self.link,
            effort: self.lowering.effort,
            security: self.security,
        }
    }

    /// The extension of its oblivious transfers.
    pub(super) fn extension(&self) -> Extension {
        prices::extension(self.transfers, &self.security)
    }

    /// The fields that must be the same at both parties, besides security parameters.
    pub(super) fn fields(&self) -> [Field; 4] {
        [
            Field::text("garbling", self.garbling.to_string()),
            Field::text("oblivious transfers", self.transfers.to_string()),
            Field::text("planned link", self.link.to_string()),
            Field::text("effort", self.lowering.effort.to_string()),
        ]
    }
}

impl Default for LiveOptions {
    fn default() -> Self {
        let PlanOptions { security, garbling, link, .. } = PlanOptions::default();
        let lowering = tacit_lower::Options::default();
        let (transfers, matrices) = (TransferExtension::SoftSpoken, MatrixChoice::default());
        LiveOptions { security, garbling, transfers, matrices, link, lowering }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tacit_plan::TransferChoice;

    use tacit_ir::Domain;

    use super::*;

    #[test]
    fn the_planned_link_decides_how_transfers_are_extended() {
        let usual = LiveOptions::of(&PlanOptions::default()).unwrap();
        assert_eq!(format!("{usual:?}"), format!("{:?}", LiveOptions::default()));
        let narrow = Link::one_way(100_000, Duration::from_millis(1));
        let narrow = PlanOptions { link: narrow, ..PlanOptions::default() };
        assert_ne!(LiveOptions::of(&narrow).unwrap().transfers, TransferExtension::SoftSpoken);
        let softspoken = PlanOptions { transfers: TransferChoice::SoftSpoken, ..narrow };
        assert_eq!(LiveOptions::of(&softspoken).unwrap().transfers, TransferExtension::SoftSpoken);
    }

    #[test]
    fn what_a_live_session_cannot_do_is_refused_by_name() {
        let refused = |options: PlanOptions| LiveOptions::of(&options).unwrap_err().to_string();
        let mut classes = PlanOptions::default();
        classes.lowering.assigned = "products=arith".parse().unwrap();
        let classes = refused(classes);
        assert!(classes.starts_with("classes cannot be products=arith in a reactive session: "), "{classes}");
        let ahead = refused(PlanOptions { mode: ModeChoice::Precomputed, ..Default::default() });
        assert!(ahead.starts_with("mode cannot be precomputed in a reactive session: "), "{ahead}");
        for (domain, name) in [(Domain::Bool, "bool"), (Domain::Arith, "arith")] {
            let domain = DomainChoice::In(domain);
            let refused = refused(PlanOptions { domain, ..Default::default() });
            assert!(
                refused.starts_with(&format!("domain cannot be {name} in a reactive session")),
                "{refused}"
            );
        }
        let limits = Limits { milliseconds: Some(7), ..Limits::default() };
        let limited = refused(PlanOptions { limits, ..Default::default() });
        assert!(limited.starts_with("most_ms cannot be 7 in a reactive session: "), "{limited}");
        let garbler = GarblerChoice::Named("B".to_owned());
        let garbled = refused(PlanOptions { garbler, ..Default::default() });
        assert!(garbled.starts_with("garbler cannot be B in a reactive session: "), "{garbled}");
        for mode in [ModeChoice::Auto, ModeChoice::Streamed] {
            let (domain, garbler) = (DomainChoice::Auto, GarblerChoice::Auto);
            let options = PlanOptions { mode, domain, garbler, ..Default::default() };
            LiveOptions::of(&options).map(drop).unwrap();
        }
    }
}
