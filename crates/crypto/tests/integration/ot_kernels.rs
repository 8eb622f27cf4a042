//! No branch, address or division in oblivious transfers depends on a choice, a delta, a seed or a position
//! of noise.
//!
//! The kernels of crate `ot` are compiled into this test, since marking secrets for valgrind takes `unsafe`,
//! which is allowed here.

mod ferret;
mod softspoken;

use crate::constant_time::{clean, public, secret};
use std::process::Command;
use tacit_crypto::Backend;
use tacit_crypto::aes::Aes128;
use tacit_crypto::local_code;
use tacit_crypto::mitccrh::Mitccrh;
use tacit_math::{Bits, Block};

/// A code word of secret inputs, and their choices and hashes.
fn encode_and_hash() {
    let (mut inputs, mut outputs, mut delta) = (vec![Block(3); 256], vec![Block(5); 100], [Block(7)]);
    for secrets in [&mut inputs[..], &mut outputs, &mut delta] {
        secret(secrets);
    }
    local_code::encode(&Aes128::on(Backend::PORTABLE, Block(1)), 3, &inputs, &mut outputs);
    local_code::encode(&Aes128::new(Block(1)), 3, &inputs, &mut outputs);
    let choices = Bits::from_lsbs(&outputs);
    outputs
        .iter_mut()
        .zip(choices.iter())
        .for_each(|(block, choice)| *block ^= delta[0] & Block::mask(choice));
    Mitccrh::on(Backend::PORTABLE, Block(4)).hash(1, &mut outputs);
    for secrets in [&mut inputs[..], &mut outputs, &mut delta] {
        public(Block::as_bytes_mut(secrets));
    }
}

/// Run under valgrind by the test below; alone it checks that both parties' results fit.
#[test]
fn ot_kernels_on_secrets() {
    encode_and_hash();
    ferret::trees();
    softspoken::trees();
}

#[test]
#[ignore = "takes a minute"]
#[cfg(target_arch = "x86_64")]
fn valgrind_finds_no_branch_or_address_of_ots_that_depends_on_a_secret() {
    match (clean("constant_time::a_branch_on_a_secret"), clean("ot_kernels::ot_kernels_on_secrets")) {
        (Some(leaky), Some(kernels)) => {
            assert!(!leaky, "valgrind does not see a branch on a secret");
            assert!(kernels, "run valgrind on ot_kernels_on_secrets to see where");
        }
        _ => eprintln!("valgrind is not installed: branches on secrets not looked for"),
    }
}

/// Functions of this test's program whose names contain one of `names`, and how many divisions each has.
#[cfg(target_arch = "x86_64")]
fn divisions(names: &[&str]) -> Option<Vec<(String, usize)>> {
    let program = std::env::current_exe().unwrap();
    let listing = Command::new("objdump").args(["--disassemble", "--demangle"]).arg(program).output().ok()?;
    let mut found = Vec::new();
    for function in String::from_utf8_lossy(&listing.stdout).split("\n\n") {
        let (title, code) = function.split_once('\n').unwrap_or((function, ""));
        if names.iter().any(|name| title.contains(name)) {
            let divides = |line: &&str| {
                let operation = line.split('\t').nth(2).and_then(|text| text.split(' ').next());
                operation.is_some_and(|name| name.starts_with("div") || name.starts_with("idiv"))
            };
            found.push((title.to_owned(), code.lines().filter(divides).count()));
        }
    }
    Some(found)
}

/// Memcheck does not report divisions, whose time depends on their operands.
#[test]
#[cfg(target_arch = "x86_64")]
fn nothing_divides_where_the_place_of_noise_is_known() {
    #[inline(never)]
    fn divides_a_secret(secret: usize, by: usize) -> usize {
        secret % by
    }
    assert_eq!(divides_a_secret(std::hint::black_box(35), std::hint::black_box(16)), 3);
    let Some(found) = divisions(&["half_tree::place", "divides_a_secret"]) else {
        return eprintln!("objdump is not installed: divisions not looked for");
    };
    let (known, kernels): (Vec<_>, Vec<_>) =
        found.iter().partition(|(name, _)| name.contains("divides_a_secret"));
    assert!(known.iter().any(|(_, divisions)| *divisions > 0), "a division is not seen: {found:?}");
    assert!(!kernels.is_empty(), "the kernel is not seen");
    assert!(kernels.iter().all(|(_, divisions)| *divisions == 0), "{kernels:?}");
}
