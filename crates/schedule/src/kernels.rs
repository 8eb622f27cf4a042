//! All kernels and conversions. Each is defined in the folder of its domain, or in the file of its
//! conversion.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use tacit_ir::Domain;

use crate::conversions::{ArithToBool, ArithToHe, ArithToYao, BoolToArith, BoolToYao, HeToArith, YaoToBool};
use crate::domains::arith::ArithOp;
use crate::domains::he::HeOp;
use crate::kernel::KernelRules;

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident($type:ty),)*) => {
        /// The work of a step within a domain of words, or between two domains.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Kernel {
            $($(#[$doc])* $name($type),)*
        }

        impl Kernel {
            /// The properties of the kernel.
            pub fn rules(&self) -> &dyn KernelRules {
                match self {
                    $(Kernel::$name(kernel) => kernel,)*
                }
            }

            pub(crate) fn rules_mut(&mut self) -> &mut dyn KernelRules {
                match self {
                    $(Kernel::$name(kernel) => kernel,)*
                }
            }
        }

        $(impl From<$type> for Kernel {
            fn from(kernel: $type) -> Kernel {
                Kernel::$name(kernel)
            }
        })*
    };
}

kernels! {
    /// An operation on words shared by sum.
    Arith(ArithOp),
    /// Words shared by sum as two addends in bits.
    ArithToBool(ArithToBool),
    /// Words shared by sum as labels.
    ArithToYao(ArithToYao),
    /// Bits as words shared by sum.
    BoolToArith(BoolToArith),
    /// Bits as labels.
    BoolToYao(BoolToYao),
    /// Labels as bits.
    YaoToBool(YaoToBool),
    /// Words shared by sum, encrypted.
    ArithToHe(ArithToHe),
    /// An operation on encrypted words.
    He(HeOp),
    /// Encrypted words, shared by sum.
    HeToArith(HeToArith),
}

impl Kernel {
    /// The number of lanes in each run whose sum it gives, if it does.
    pub fn summed_run(&self) -> Option<u64> {
        if let Kernel::Arith(op) = self { op.summed_run() } else { None }
    }

    /// If it gives products in so many lanes, the kernel that gives the sum of each run of `length` of them. Its two operands are those of the product; a square's is
    /// both.
    pub fn summed(&self, length: u64, lanes: u64) -> Option<Kernel> {
        let Kernel::Arith(op) = self else { return None };
        op.summed(length, lanes).map(Kernel::from)
    }
}

/// A conversion from one domain to another.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// The domain of the source.
    pub from: Domain,
    /// The domain of the result.
    pub to: Domain,
    /// The widths that are permitted at both ends.
    pub widths: Widths,
    /// The steps of the conversion.
    pub written: Written,
}

/// Widths of words before and after a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Widths {
    /// Conversions from bits to words may widen; conversions from words may narrow.
    Free,
    /// The same width before and after.
    Same,
}

/// The steps of a conversion.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// One kernel; the argument says whether widened words extend their sign.
    Kernel(fn(bool) -> Kernel),
    /// A kernel that runs an adding circuit, given by number, over this many lanes.
    Adder(fn(u32, u64) -> Kernel),
    /// A kernel that gives two words, which a circuit then adds.
    Addends(fn() -> Kernel),
}

/// All conversions between two domains without a third in between.
const CONVERSIONS: &[Conversion] = &[
    between(Domain::Arith, Domain::Bool, Written::Addends(|| ArithToBool.into())),
    between(
        Domain::Arith,
        Domain::Yao,
        Written::Adder(|circuit, lanes| ArithToYao { circuit, lanes }.into()),
    ),
    between(Domain::Bool, Domain::Arith, Written::Kernel(|signed| BoolToArith { signed }.into())),
    between(Domain::Bool, Domain::Yao, Written::Kernel(|_| BoolToYao.into())),
    between(Domain::Yao, Domain::Bool, Written::Kernel(|_| YaoToBool.into())),
    as_wide(Domain::Arith, Domain::He, Written::Kernel(|_| ArithToHe.into())),
    as_wide(Domain::He, Domain::Arith, Written::Kernel(|_| HeToArith::default().into())),
];

const fn between(from: Domain, to: Domain, written: Written) -> Conversion {
    Conversion { from, to, widths: Widths::Free, written }
}

const fn as_wide(from: Domain, to: Domain, written: Written) -> Conversion {
    Conversion { from, to, widths: Widths::Same, written }
}

/// The kernel that narrows words, for domains whose words may be wider than their values.
pub fn narrow(domain: Domain) -> Option<Kernel> {
    match domain {
        Domain::Arith => Some(ArithOp::Truncate.into()),
        Domain::He => Some(HeOp::Truncate.into()),
        Domain::Bool | Domain::Yao => None,
    }
}

/// The last conversion of the shortest path from one domain to another, of at least one step; none if there
/// is no path.
///
/// With `wider` it is a conversion that widens words, if there is one; so a path may also lead from a domain
/// to itself.
pub fn last_conversion(from: Domain, to: Domain, wider: bool) -> Option<Conversion> {
    let distances = distances(from);
    let last = CONVERSIONS.iter().filter(|conversion| conversion.to == to);
    let reached = last.filter_map(|conversion| Some((distances.get(&conversion.from)?, conversion)));
    reached
        .min_by_key(|(distance, one)| (wider && one.widths == Widths::Same, **distance))
        .map(|(_, one)| *one)
}

/// The domains that can be reached by conversions, with the number of conversions.
fn distances(from: Domain) -> BTreeMap<Domain, u32> {
    let mut distances = BTreeMap::from([(from, 0)]);
    let mut waiting = VecDeque::from([(from, 0)]);
    while let Some((here, distance)) = waiting.pop_front() {
        for conversion in CONVERSIONS.iter().filter(|conversion| conversion.from == here) {
            distances.entry(conversion.to).or_insert_with(|| {
                waiting.push_back((conversion.to, distance + 1));
                distance + 1
            });
        }
    }
    distances
}
