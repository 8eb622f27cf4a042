//! Comparison by DGK between two of n parties, on shares among all.

use tacit_compare::{Parameters, Results};
use tacit_he::dgk::ModulusSize;
use tacit_math::field::{Field, Mersenne61, Montgomery};
use tacit_nparty::program::{Task, Value};
use tacit_nparty::protocol::dgk::DgkTerms;
use tacit_nparty::{RunError, UsageError};

use crate::site::Site;

fn parameters(bits: u32, results: Results) -> Parameters {
    Parameters::insecure(ModulusSize::insecure(512).unwrap(), 64, bits, results).unwrap()
}

fn terms(server: usize, assistant: usize, bits: u32, apart: bool) -> DgkTerms {
    DgkTerms { server, assistant, parameters: parameters(bits, Results::Shared), apart }
}

fn input<F: Field>(task: &Task<F>, owner: usize, numbers: &[u64]) -> Result<Value<F>, RunError> {
    let given = numbers.iter().map(|number| task.field().element(*number)).collect();
    task.input(owner, numbers.len(), (task.me() == owner).then_some(given))
}

/// Numbers of this many bits, at the edges and near one another.
fn pairs(bits: u32) -> [Vec<u64>; 2] {
    let top = u64::MAX >> (64 - bits);
    let edges = [0, 1, top >> 1, (top >> 1) + 1, top - 1, top];
    let pairs = edges.iter().flat_map(|x| edges.iter().map(move |y| (*x, *y)));
    let (x, y) = pairs.unzip();
    [x, y]
}

/// All parties compare, twice with one pair, and the results equal the comparisons in the clear.
fn compares<F: Field>(field: &F, site: &Site, terms: DgkTerms) {
    let [x, y] = pairs(terms.parameters.bits());
    let right: Vec<F::Element> = x.iter().zip(&y).map(|(x, y)| field.element(u64::from(x >= y))).collect();
    let results = site.run_in(
        field,
        |_| None,
        |task| {
            let (first, second) = (input(task, 0, &x)?, input(task, 1, &y)?);
            let mut pair = task.dgk_pair(terms)?;
            let found = task.at_least_by_dgk(&mut pair, &first, &second)?;
            // The result is a value like any other.
            let chosen = task.mul(&found, &task.sub(&first, &second)?)?;
            let largest = task.add(&second, &chosen)?;
            let again = task.at_least_by_dgk(&mut pair, &largest, &first)?;
            let opened = [&found, &again].map(|value| task.wait(&task.open(value)?));
            pair.close()?;
            let [found, again] = opened;
            Ok((found?, again?))
        },
    );
    for result in results {
        let (found, again) = result.expect("a good end");
        assert!(found == right);
        assert!(again.iter().all(|bit| *bit == field.element(1)));
    }
}

#[test]
fn two_of_several_compare_for_all() {
    for (parties, threshold, server, assistant) in [(3, 1, 0, 1), (3, 1, 2, 0), (4, 1, 1, 3), (5, 2, 4, 2)] {
        let site = Site::new(parties, threshold);
        for bits in [1, 8, 18] {
            compares(&Mersenne61, &site, terms(server, assistant, bits, threshold > 1));
        }
    }
    let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]);
    let site = Site::new(3, 1);
    compares(&wide.expect("a prime"), &site, terms(0, 1, 64, false));
}

#[test]
fn more_comparisons_than_a_message_takes() {
    let site = Site::new(3, 1);
    let numbers: Vec<u64> = (0..1200).map(|i| i * 31 % 256).collect();
    let results = site.run_in(
        &Mersenne61,
        |_| None,
        |task| {
            let (x, y) = (input(task, 0, &numbers)?, input(task, 1, &numbers[1..].repeat(2)[..1200])?);
            let mut pair = task.dgk_pair(terms(0, 1, 8, false))?;
            let found = task.at_least_by_dgk(&mut pair, &x, &y)?;
            let opened = task.wait(&task.open(&found)?)?;
            pair.close()?;
            Ok(opened)
        },
    );
    let other = numbers[1..].repeat(2);
    let right: Vec<u64> = numbers.iter().zip(&other).map(|(x, y)| u64::from(x >= y)).collect();
    assert!(results.into_iter().all(|result| result.expect("a good end") == right));
}

#[test]
fn pairs_that_cannot_be_are_refused() {
    let refused = |parties: usize, threshold: usize, terms: DgkTerms| -> UsageError {
        let site = Site::new(parties, threshold);
        let results = site.run_in(&Mersenne61, |_| None, |task| Ok(task.dgk_pair(terms).err()));
        let errors = results.into_iter().map(|result| result.expect("a good end").expect("a refusal"));
        let mut errors = errors.map(|error| match error {
            RunError::Usage(error) => *error,
            error => panic!("{error}"),
        });
        let first = errors.next().expect("a party");
        assert!(errors.all(|error| error == first));
        first
    };
    let error = refused(5, 2, terms(0, 1, 8, false));
    assert!(matches!(error, UsageError::NotApart { threshold: 2, .. }), "{error}");
    assert!(error.to_string().contains("p0") && error.to_string().contains("p1"), "{error}");
    assert!(matches!(refused(3, 1, terms(1, 1, 8, false)), UsageError::OneComparer { .. }));
    assert!(matches!(refused(3, 1, terms(0, 3, 8, false)), UsageError::NoParty { party: 3, parties: 3 }));
    assert!(matches!(refused(3, 1, terms(0, 1, 19, false)), UsageError::Comparison { bits: 19, .. }));
}

#[test]
fn parameters_for_revealed_results_are_refused() {
    let site = Site::new(3, 1);
    let revealed = DgkTerms { parameters: parameters(8, Results::Revealed), ..terms(0, 1, 8, false) };
    let results = site.run_in(&Mersenne61, |_| None, |task| Ok(task.dgk_pair(revealed).err()));
    for result in results {
        let error = result.expect("a good end").expect("a refusal");
        assert!(matches!(error, RunError::Comparison(_)), "{error}");
    }
}

#[test]
fn a_pair_that_means_different_things_ends_the_computation() {
    let site = Site::new(3, 1);
    let results = site.run_in(
        &Mersenne61,
        |_| None,
        |task| {
            let bits = if task.me() == 1 { 9 } else { 8 };
            task.dgk_pair(terms(0, 1, bits, false)).map(drop)
        },
    );
    let error = results[1].as_ref().expect_err("other parameters");
    assert!(matches!(error, RunError::Comparison(_)), "{error}");
}
