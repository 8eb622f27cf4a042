//! C to programs.
#![allow(dead_code, unused_imports)]
mod error;
mod int;
mod llvm;
pub use error::{CError, Location};
#[cfg(test)]
mod smoke {
    #[test]
    fn read() {
        let mut module = crate::llvm::Module::default();
        let text = std::fs::read_to_string("/tmp/cf/b.ll").unwrap();
        crate::llvm::parse(&mut module, 1, &text).unwrap();
        for (_, f) in module.functions() { println!("{f:#?}"); }
    }
}
