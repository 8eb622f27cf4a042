//! Conversions between domains: the bundles that each reads and writes, its meaning in the clear, and the
//! material that it consumes.

mod arith_to_bool;
mod arith_to_he;
mod arith_to_yao;
mod bits;
mod bool_to_arith;
mod bool_to_yao;
mod he_to_arith;
mod yao_to_bool;

pub use arith_to_bool::ArithToBool;
pub use arith_to_he::ArithToHe;
pub use arith_to_yao::ArithToYao;
pub use bool_to_arith::BoolToArith;
pub use bool_to_yao::BoolToYao;
pub use he_to_arith::HeToArith;
pub use yao_to_bool::YaoToBool;

use tacit_ir::Domain;

use crate::bundle::Bundle;
use crate::kernel::Site;
use crate::rules::{Checked, require};

/// Checks that a kernel reads a bundle of one domain and writes one of the other, with equally many lanes and
/// permitted widths.
fn check(site: Site<'_>, domains: [Domain; 2], fits: impl FnOnce(Bundle, Bundle) -> bool) -> Checked {
    let [from, to] = site.one_to_one()?;
    let right = [from.domain, to.domain] == domains && from.lanes == to.lanes && fits(from, to);
    require(right, "a conversion has other operands")
}
