"use strict";

const at = (id) => document.getElementById(id);

// All text goes through here, so that no name of a program or party becomes markup.
const made = (tag, text = "", name = "") => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
};

const scaled = (value, units) => {
  let unit = 0;
  while (value >= 1000 && unit + 1 < units.length) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? value.toPrecision(3) : Math.round(value)} ${units[unit]}`;
};

const bytes = (count) => scaled(count, ["B", "kB", "MB", "GB", "TB"]);

const time = (seconds) => {
  const whole = Math.round(seconds);
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (whole < 60) return `${whole} s`;
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  return hours ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
};

// Seconds that a phase still takes at its pace so far; only where that says something.
const left = (phase) => {
  const share = phase.total ? phase.done / phase.total : 0;
  return phase.state === "running" && share > 0.05 && phase.seconds > 2
    ? (phase.seconds * (1 - share)) / share
    : null;
};

const tile = (what, value) => {
  const pair = document.createElement("div");
  pair.append(made("dt", what), made("dd", value));
  return pair;
};

const STATES = {
  running: "Tacit run in progress",
  done: "Tacit run: done",
  failed: "Tacit run: failed, see the terminal",
};

const facts = (phase) => {
  if (phase.state === "waiting") return "not begun";
  const said = [time(phase.seconds)];
  if (phase.predicted_bytes) said.push(`${bytes(phase.bytes)} of ${bytes(phase.predicted_bytes)} predicted`);
  else if (phase.bytes) said.push(bytes(phase.bytes));
  const more = left(phase);
  if (more !== null) said.push(`about ${time(more)} left`);
  return said.join(" · ");
};

const bar = (phase) => {
  const shown = made("progress", "", phase.name);
  shown.setAttribute("aria-label", phase.name);
  shown.max = 1;
  if (phase.state === "done") shown.value = 1;
  else if (phase.state === "waiting") shown.value = 0;
  else if (phase.total) shown.value = phase.done / phase.total;
  else if (phase.state === "failed") shown.value = 0;
  return shown;
};

const drawPhase = (phase) => {
  const row = made("div", "", `phase ${phase.state === "waiting" ? "waiting" : ""}`);
  const head = document.createElement("p");
  head.append(made("span", phase.name), made("span", facts(phase), "facts"));
  row.append(head, bar(phase));
  return row;
};

const drawParties = (parties) => {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of ["party", "sent", "received"]) {
    const cell = made("th", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const party of parties) {
    const row = body.insertRow();
    row.append(made("th", party.name), made("td", bytes(party.sent)), made("td", bytes(party.received)));
  }
  return table;
};

// Screen readers read it aloud when it changes.
const say = (state) => {
  if (at("state").textContent !== state) at("state").textContent = state;
};

const draw = (run) => {
  const moved = run.phases.reduce((sum, phase) => sum + phase.bytes, 0);
  const rate = run.bytes_per_second;
  say(STATES[run.state]);
  at("program").textContent = run.program;
  at("tiles").replaceChildren(
    tile("so far", time(run.seconds)),
    tile("bytes", bytes(moved)),
    tile("rate", run.state === "running" && rate !== null ? `${bytes(rate)}/s` : "\u2013"),
  );
  at("phases").replaceChildren(...run.phases.map(drawPhase));
  at("parties").replaceChildren(drawParties(run.parties));
};

const events = new EventSource("events");
let over = false;
events.onmessage = (message) => {
  const run = JSON.parse(message.data);
  draw(run);
  if (run.state !== "running") {
    over = true;
    events.close();
  }
};
events.onerror = () => {
  events.close();
  if (!over) say("Tacit run: its process has ended");
};
