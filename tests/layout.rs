//! Every constant of the crates that make messages and material is either in its crate's table of layout, which both ends of a
//! session compare, or known here to be of no matter to the other end.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose constants decide what stands where.
const CRATES: [&str; 9] =
    ["circuit", "schedule", "lower", "plan", "ot", "pfe", "twoparty", "engine", "nparty"];

/// How names of limits begin: what is beyond one is refused, and nothing else depends on it.
const LIMITS: [&str; 2] = ["MAX_", "MOST_"];

/// Constants that one party alone knows of: how much it computes, shows or keeps at a time, or how long it waits. File and name.
const LOCAL: &[(&str, &str)] = &[
    ("circuit/src/library/aes.rs", "ROUNDS"),
    // Short and long coefficients have the same digits.
    ("circuit/src/arithmetic/coefficient.rs", "SHORT"),
    ("circuit/src/formats/netlist.rs", "VERSION"),
    ("circuit/src/formats/writer.rs", "NONE"),
    ("circuit/src/optimise/function.rs", "AFFINE_MONOMIALS"),
    ("lower/src/files.rs", "NONE"),
    // In the hash of the plan.
    ("lower/src/options.rs", "EFFORT"),
    ("lower/src/options.rs", "TILE_LABELS"),
    ("ot/src/endemic.rs", "PAIR"),
    // Bytes are the same, however they are divided.
    ("ot/src/endemic.rs", "PIECE"),
    ("ot/src/rot.rs", "CHUNK"),
    ("pfe/src/nand.rs", "NONE"),
    ("pfe/src/prediction/rates.rs", "GATES"),
    ("pfe/src/prediction/rates.rs", "ROUNDS"),
    ("pfe/src/prediction/rates.rs", "BATCH"),
    ("pfe/src/prediction/rates.rs", "MODULUS_WORDS"),
    ("pfe/src/prediction/rates.rs", "DEGREE"),
    ("pfe/src/evaluation.rs", "GROUP"),
    ("pfe/src/reusable/mod.rs", "GROUP"),
    ("pfe/src/katz_malka/mod.rs", "GROUP"),
    ("pfe/src/universal/stream.rs", "PIECE"),
    ("pfe/src/universal/stream.rs", "WAITING"),
    ("ot/src/softspoken.rs", "CHUNK_BLOCKS"),
    ("twoparty/src/counted_channel.rs", "PARTIES"),
    ("twoparty/src/wires.rs", "TILE"),
    ("twoparty/src/correlations/lookup_tables.rs", "ENTRIES"),
    // In the hash of the plan, as the mode that follows.
    ("plan/src/mode.rs", "AUTO_TABLE_BYTES"),
    // In the hash of the plan, as the choice that follows.
    ("plan/src/transfers.rs", "BYTE_PICOSECONDS"),
    ("plan/src/mixed.rs", "LEAST_NS"),
    ("plan/src/mixed.rs", "GATE_NS"),
    ("plan/src/mixed.rs", "OPERATION_NS"),
    ("plan/src/mixed.rs", "SMALLER_NS"),
    ("plan/src/mixed.rs", "NEAR"),
    // Drafts that are given up by these change no plan.
    ("plan/src/ceiling.rs", "ROUNDING"),
    ("plan/src/ceiling.rs", "LEAST_TABLE_BYTES"),
    ("plan/src/ceiling.rs", "THOUSANDTHS"),
    // Of the predicted time of a run among many parties, which its report shows.
    ("plan/src/among.rs", "RING_PRODUCT"),
    ("plan/src/among.rs", "FIELD_OPENING"),
    // Of what a plan is said to cost, and of how far it may be from the best.
    ("plan/src/objective.rs", "MILLION"),
    ("plan/src/objective.rs", "DIGITS"),
    ("plan/src/bound/alone.rs", "LEAST_LANES"),
    ("plan/src/bound/alone.rs", "DEEPEST"),
    // In the greeting, as the extension that follows.
    ("engine/src/live/options.rs", "TRANSFERS"),
    // Of tests.
    ("engine/src/live/views.rs", "COMBINATIONS"),
    ("engine/src/live/views.rs", "LANES"),
    ("twoparty/src/bits.rs", "CHUNK"),
    ("twoparty/src/domains/he.rs", "BATCH"),
    ("schedule/src/label_work.rs", "BUSY_ANDS"),
    ("schedule/src/walk/pool.rs", "KEPT_ELEMENTS"),
    ("engine/src/report.rs", "REPORT_VERSION"),
    ("engine/src/profile_file.rs", "VERSION"),
    ("engine/src/calibrate/mod.rs", "RUNS"),
    ("nparty/src/compiled/memory.rs", "BLOCK"),
    ("nparty/src/compiled/domains/yao/labels.rs", "BATCH_BYTES"),
    ("nparty/src/compiled/memory.rs", "LONG_RUN"),
    ("nparty/src/calibration.rs", "RUNS"),
    ("nparty/src/calibration/probes.rs", "COUNT"),
    ("engine/src/calibrate/fit.rs", "PARTS"),
    ("engine/src/calibrate/fit.rs", "SWEEPS"),
    ("engine/src/calibrate/link.rs", "STEADY"),
    ("engine/src/calibrate/link.rs", "STEADY_ROUND"),
    ("engine/src/private/report.rs", "REPORT_VERSION"),
    ("engine/src/prices.rs", "BLOCK"),
    // Of predictions of memory, which limits alone look at.
    ("engine/src/prices/memory.rs", "LIMB"),
    ("engine/src/prices/memory.rs", "WORD"),
    ("engine/src/prices/memory.rs", "BUFFERS"),
    ("engine/src/prices/memory.rs", "SEALED"),
    // Functions of degree two, and how many answers are kept.
    ("circuit/src/optimise/recipe.rs", "PRODUCTS"),
    ("circuit/src/optimise/recipe.rs", "COUNTS_LOG"),
    // Sizes of what the constants beside them are made of.
    ("twoparty/src/correlations/lattice/residues.rs", "MASK_WORDS"),
    ("engine/src/calibrate/link.rs", "SAMPLES"),
    ("engine/src/calibrate/link.rs", "BYTES"),
    ("engine/src/calibrate/machine.rs", "RATE_BYTES"),
    ("engine/src/store/offer.rs", "BYTES"),
    ("engine/src/stored_shares/entry.rs", "BYTES"),
    ("nparty/src/dealing/dealer.rs", "TILE"),
    ("nparty/src/runtime/value.rs", "CHUNK"),
    ("nparty/src/runtime/history.rs", "KEPT"),
    ("nparty/src/runtime/history.rs", "TOLD"),
    ("nparty/src/runtime/wire.rs", "FULL"),
    ("nparty/src/runtime/wire.rs", "FULL_AMONG_THREE"),
    ("nparty/src/runtime/wire.rs", "LARGE"),
    ("nparty/src/runtime/wire.rs", "KEPT"),
    ("nparty/src/runtime/wire.rs", "RANGE"),
    ("nparty/src/runtime/spare.rs", "LEAST"),
    ("nparty/src/runtime/spare.rs", "KEPT"),
    ("nparty/src/runtime/used_messages.rs", "LEAST"),
    ("nparty/src/runtime/used_messages.rs", "KEPT"),
    ("nparty/src/runtime/reactor.rs", "RUN"),
    ("nparty/src/runtime/reactor.rs", "FUNCTION"),
    ("nparty/src/runtime/reactor.rs", "AT_ONCE"),
    ("nparty/src/runtime/pieces.rs", "PIECE"),
    ("nparty/src/runtime/pieces.rs", "LEAST"),
    ("nparty/src/runtime/mesh.rs", "GLANCES"),
    ("nparty/src/runtime/mesh.rs", "LITTLE"),
    ("nparty/src/runtime/mesh.rs", "BURST"),
    ("nparty/src/runtime/mesh.rs", "PATIENCE"),
    ("nparty/src/runtime/receive.rs", "EARLY_BYTES"),
    ("nparty/src/runtime/receive.rs", "QUEUED_BYTES"),
    ("nparty/src/runtime/receive.rs", "PIECES_AT_ONCE"),
    ("nparty/src/runtime/epochs.rs", "EARLY_BYTES"),
    ("nparty/src/runtime/agreements.rs", "EARLY_BYTES"),
    ("nparty/src/runtime/reactor.rs", "LONG"),
    ("nparty/src/runtime/verification/verifier.rs", "COST"),
    ("nparty/src/runtime/verification/verifier.rs", "MESSAGE_BYTES"),
    ("nparty/src/product/vector.rs", "SHORT"),
    ("nparty/src/product/vector.rs", "PLACE"),
    ("nparty/src/product/compression.rs", "AT_ONCE"),
    ("nparty/src/parties.rs", "MAX"),
    ("nparty/src/runtime/inbox.rs", "SEGMENT_BYTES"),
    ("nparty/src/runtime/incoming_message.rs", "LEAST_IN_FRAME"),
    ("nparty/src/runtime/inbox.rs", "LEAST_KEPT"),
    ("nparty/src/runtime/inbox.rs", "KEPT"),
    ("nparty/src/runtime/reactor.rs", "ROOM"),
    ("nparty/src/runtime/shared.rs", "CHUNK"),
    // Bits of a field's element, which the table names.
    ("nparty/src/protocol/binary.rs", "LANES"),
    ("nparty/src/compiled/domains/arith/ring.rs", "WORD_BYTES"),
    ("nparty/src/product/replicated.rs", "MASKED_AT_ONCE"),
    ("nparty/src/prf.rs", "CHUNK_BYTES"),
    ("nparty/src/compiled/mod.rs", "WINDOW"),
    ("nparty/src/compiled/pace.rs", "OPERATION_BYTES"),
    ("nparty/src/compiled/schedules.rs", "KEPT"),
    ("nparty/src/compiled/plan.rs", "KEPT"),
    ("nparty/src/reception/serve.rs", "HEAD_BYTES"),
    ("nparty/src/error/usage.rs", "SHOWN"),
    // Of parties in one process.
    ("nparty/src/dynamic/alone.rs", "PARTIES"),
    ("nparty/src/dynamic/alone.rs", "THRESHOLD"),
    ("nparty/src/protocol/keep.rs", "SEGMENT"),
    ("nparty/src/protocol/keep.rs", "TOGETHER"),
];

/// Types of constants that can be in a table.
const TYPES: [&str; 8] = ["u8", "u16", "u32", "u64", "usize", "[u8; 1]", "StreamId", "Set"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("rs") => found.push(path),
            None if path.is_dir() => sources(&path, found),
            _ => {}
        }
    }
}

/// The names of constants that a file defines outside its tests.
fn constants(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    code.lines().filter_map(name_of).collect()
}

/// The name that a line defines, if it is a constant with a value of one of [`TYPES`].
fn name_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line =
        line.strip_prefix("pub ").or_else(|| line.split_once(") ").map(|(_, rest)| rest)).unwrap_or(line);
    let (name, rest) = line.strip_prefix("const ")?.split_once(": ")?;
    let (ty, _) = rest.split_once(" = ")?;
    TYPES.contains(&ty).then_some(name)
}

#[test]
fn every_constant_is_in_its_crates_table_or_local() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut unknown, mut seen) = (Vec::new(), 0);
    for name in CRATES {
        let folder = crates.join(name).join("src");
        let table = fs::read_to_string(folder.join("constants.rs")).expect("a table of constants");
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for path in files {
            let file = path.strip_prefix(&crates).expect("within the crates").to_string_lossy().into_owned();
            if file.contains("tests") {
                continue;
            }
            let module =
                file.strip_prefix(&format!("{name}/src/")).expect("a source").trim_end_matches(".rs");
            let module = module.trim_end_matches("/mod").replace('/', "::");
            let text = fs::read_to_string(&path).expect("a source");
            for constant in constants(&text) {
                seen += 1;
                let listed = table.contains(&format!("crate::{module}::{constant} "))
                    || table.contains(&format!("crate::{module}::{constant}."))
                    || table.contains(&format!("crate::{module}::{constant}["))
                    || table.contains(&format!("crate::{module}::Set::{constant}."))
                    || table.contains(&format!("(\"{constant}\","));
                let local = LOCAL.contains(&(&file, constant));
                let limit = LIMITS.iter().any(|prefix| constant.starts_with(prefix));
                if !listed && !local && !limit {
                    unknown.push(format!("{file}: {constant}"));
                }
            }
        }
    }
    assert!(seen > 150, "{seen} constants");
    let list = unknown.join("\n");
    assert!(
        unknown.is_empty(),
        "these constants are neither in the table constants.rs of their crate nor local:\n{list}"
    );
}
