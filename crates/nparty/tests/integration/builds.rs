//! Parties with different builds refuse each other when they meet, and name the difference.

use std::thread;

use crate::site::Site;
use tacit_math::field::Mersenne61;
use tacit_net::Session;
use tacit_net::session::{Build, Config, Constants};
use tacit_nparty::runtime::LEAST_STATISTICAL_BITS;
use tacit_nparty::{JoinTerms, Party, build};

/// This build with the last constant of a crate changed.
fn changed(part: usize) -> Build {
    let mut parts = build().parts().to_vec();
    let (name, constants) = parts[part];
    let mut constants = constants.to_vec();
    constants.last_mut().expect("a constant").1 += 1;
    let constants: Constants = constants.leak();
    parts[part] = (name, constants);
    Build::new(&parts)
}

#[test]
fn a_party_of_another_build_is_refused_by_name() {
    let layouts = build()
        .parts()
        .iter()
        .enumerate()
        .map(|(part, (name, _))| (changed(part), format!("layout of {name}")))
        .collect::<Vec<_>>();
    let release = (build().with_release("7.1.0"), "release".to_owned());
    for (other, what) in layouts.into_iter().chain([release]) {
        let site = Site::new(3, 1);
        let errors: Vec<String> = thread::scope(|scope| {
            let party = |(me, config): (usize, Config)| {
                let (other, name, key) = (&other, format!("p{me}"), Some(site.keys[me].clone()));
                scope.spawn(move || match me {
                    0 => {
                        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                        let met = Session::establish(&config, &name, key.as_ref(), other.fields());
                        runtime.expect("a runtime").block_on(met).expect_err("refused").to_string()
                    }
                    _ => {
                        let terms = JoinTerms {
                            config,
                            me: name,
                            key,
                            field: Mersenne61,
                            threshold: 1,
                            security: tacit_nparty::Security::Passive,
                            statistical_bits: LEAST_STATISTICAL_BITS,
                            fields: vec![],
                            store: None,
                        };
                        Party::join(terms, || Ok(())).err().expect("refused").to_string()
                    }
                })
            };
            let parties: Vec<_> = site.configs().into_iter().enumerate().map(party).collect();
            parties.into_iter().map(|party| party.join().expect("no panic")).collect()
        });
        for error in &errors[..2] {
            assert!(error.contains(&format!("differ in {what}")), "{what}: {errors:?}");
        }
    }
}
