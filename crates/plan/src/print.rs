use std::fmt;

use tacit_schedule::Peak;

use crate::{Lattices, PhaseTime, Plan, Side, Traffic};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (work, schedule) = (self.work(), self.schedule());
        let peak = self.layout().bodies[schedule.main].peak_labels.saturating_mul(16);
        let party = |side| self.parties().name(side);
        writeln!(f, "plan       {}", hex(self.hash()))?;
        writeln!(f, "program    {}", hex(self.program_hash()))?;
        writeln!(f, "garbler    {}", party(Side::Garbler))?;
        writeln!(f, "evaluator  {}", party(Side::Evaluator))?;
        match schedule.has_shares() {
            false => writeln!(f, "domain     yao, {}, {}", self.garbling(), self.mode())?,
            true => domains(f, self)?,
        }
        writeln!(f, "security   {}", self.security())?;
        writeln!(f, "circuits   {} in {} bodies", schedule.circuits.len(), schedule.bodies.len())?;
        writeln!(f, "gates      {} AND, {} XOR", work.and_count, work.xor_count)?;
        writeln!(f, "transfers  {}", work.ot_count())?;
        writeln!(f, "extension  {}", self.transfers())?;
        let Lattices { triples, online } = self.lattices();
        if !triples.is_empty() {
            writeln!(f, "lattices   triples of {} kinds of products", triples.len())?;
        }
        if !online.is_empty() {
            writeln!(f, "lattices   {} kinds of products, online", online.len())?;
        }
        writeln!(f, "link       {}", self.link())?;
        writeln!(f, "profile    {}", self.profile())?;
        writeln!(f, "labels     at most {peak} bytes")?;
        let [garbler, evaluator] =
            [Side::Garbler, Side::Evaluator].map(|side| self.prediction().memory.of(side));
        let memory = |peak: Peak| format!("{} bytes{}", peak.bytes, crate::error::step(&peak.line));
        writeln!(f, "memory     garbler {}, evaluator {}", memory(garbler), memory(evaluator))?;
        let predicted = self.prediction();
        phase(f, "setup", &predicted.setup, predicted.time.setup)?;
        phase(f, "online", &predicted.online, predicted.time.online)
    }
}

/// The domains, and what setup makes for them.
fn domains(f: &mut fmt::Formatter<'_>, plan: &Plan) -> fmt::Result {
    let names: Vec<_> = plan.domains().iter().map(|work| &work.domain[..]).collect();
    writeln!(f, "domain     {}", names.join(", "))?;
    for (kind, count) in plan.material().iter().filter(|(kind, _)| !kind.is_label()) {
        writeln!(f, "{:<10} {count} {kind}", kind.title())?;
    }
    Ok(())
}

fn phase(f: &mut fmt::Formatter<'_>, name: &str, traffic: &Traffic, time: PhaseTime) -> fmt::Result {
    let rounds = traffic.garbler_rounds.max(traffic.evaluator_rounds);
    writeln!(
        f,
        "{name:<10} {:.3} s, {} bytes to the evaluator, {} back, {rounds} {}",
        time.seconds(),
        traffic.garbler_bytes,
        traffic.evaluator_bytes,
        if rounds == 1 { "round" } else { "rounds" }
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
