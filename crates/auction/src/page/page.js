
const find = (id) => document.getElementById(id);
const WAITING = "tacit-auction waiting";
const NAMES = "tacit-auction names";
const PHASES = { bidding: "taking bids", closing: "closing", climbing: "price is climbing", ended: "ended" };
const REASONS = { one_half: "only one half arrived", late: "the deadline had passed", full: "the auction takes no more bids" };
let chosen = null;
let state = null;
let sizes = null;
let clockDifference = 0;

function random(count) {
  return crypto.getRandomValues(new Uint8Array(count));
}

async function ask(server, path, body) {
  const options = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", redirect: "error", signal: AbortSignal.timeout(40000) };
  if (body !== undefined) {
    Object.assign(options, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }
  const answer = await fetch(SERVERS[server] + path, options);
  return { status: answer.status, body: await answer.json() };
}

// What this browser keeps: names of bids, and halves only until both servers have decided. Without storage the page works for one visit.
const memory = {};
function read(key) {
  try { return JSON.parse(localStorage.getItem(key)) ?? memory[key] ?? []; } catch { return memory[key] ?? []; }
}
function write(key, value) {
  memory[key] = value;
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* this visit only */ }
}

function say(id, text, bad = false) {
  const element = find(id);
  if (element.textContent !== text) element.textContent = text;
  element.dataset.bad = bad;
}

function trouble(text) {
  find("trouble").textContent = text;
  find("trouble").hidden = text === "";
}

// Both servers must be a pair and use the same sizes, or nothing is sealed.
async function meet() {
  const [a, b] = await Promise.all([0, 1].map((server) => ask(server, "/service")));
  if (a.status !== 200 || b.status !== 200 || a.body.role !== "a" || b.body.role !== "b" || a.body.parameters !== b.body.parameters
      || a.body.bits !== b.body.bits || a.body.modulus !== b.body.modulus) {
    throw new Error("The two servers do not belong together. Do not bid.");
  }
  sizes = { bits: a.body.bits, modulus: a.body.modulus, keys: keysOf(a.body.parameters) };
}

function submit(bid) {
  return agreed(`/auctions/${encodeURIComponent(bid.auction)}/bids`, (server) => ({ half: bid.halves[server], blinding: bid.blindings?.[server] }));
}

// What both servers have decided of what each is given, or that they have not yet.
async function agreed(path, body) {
  for (let attempt = 0; attempt < 20; attempt++) {
    if (attempt > 0) await new Promise((done) => setTimeout(done, Math.min(attempt, 5) * 400));
    const answers = await Promise.allSettled([0, 1].map((server) => ask(server, path, body(server))));
    const known = answers.filter((answer) => answer.status === "fulfilled").map((answer) => answer.value);
    const refusal = known.find((answer) => answer.status >= 400 && ![408, 503, 504].includes(answer.status));
    if (refusal) return { status: "refused", text: refusal.body.message };
    if (known.length === 2 && known.every((answer) => answer.status === 200 && answer.body.status === known[0].body.status)) {
      return { status: known[0].body.status, text: REASONS[known[0].body.reason] ?? "", signed: known.map((answer) => answer.body.receipt) };
    }
  }
  return { status: "unknown", text: "" };
}

async function settle(bid) {
  const outcome = await submit(bid);
  if (outcome.status === "unknown") {
    say("outcome", "The servers have not decided yet. Your bid is kept here and is given again when you open this page.", true);
    return;
  }
  write(WAITING, read(WAITING).filter((other) => other.name !== bid.name));
  if (outcome.status === "accepted") {
    write(NAMES, [...read(NAMES), { auction: bid.auction, name: bid.name }]);
    await offer(bid, outcome.signed);
  } else {
    say("outcome", `Refused: ${outcome.text}.`, true);
  }
  await refresh();
}

// Receipts are checked and offered as a file, which the command line reads. It holds the halves, so this browser does not keep it.
async function offer(bid, signed) {
  const link = find("receipt");
  link.hidden = true;
  let right;
  try {
    right = await Promise.all(signed.map((receipt, server) => isReceipt(receipt, bid, server)));
  } catch {
    say("outcome", "Accepted by both servers. Their receipts cannot be checked in this browser.");
    return;
  }
  if (!right.every((each) => each)) {
    say("outcome", "Accepted by both servers, but a receipt is not signed for your bid.", true);
    return;
  }
  const file = JSON.stringify({ auction: bid.auction, name: bid.name, halves: bid.halves, blindings: bid.blindings, keys: bid.keys, signed });
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([file], { type: "application/json" }));
  link.download = `bid-${bid.name}.json`;
  link.hidden = false;
  say("outcome", "Accepted by both servers, and both have signed a receipt. You may close this page now.");
}

async function bid(event) {
  event.preventDefault();
  const field = find("amount");
  const text = field.value.replace(/[\s_',.]/g, "");
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) >> BigInt(sizes?.bits ?? 64) !== 0n) {
    field.setAttribute("aria-invalid", "true");
    say("outcome", "Please give a whole number within the range.", true);
    field.focus();
    return;
  }
  field.removeAttribute("aria-invalid");
  find("send").disabled = true;
  say("outcome", "Sealing …");
  try {
    await meet();
    const halves = seal(BigInt(text), sizes.bits, sizes.modulus, random).map(hex);
    const blindings = halves.map(() => hex(random(32)));
    const sealed = { auction: chosen, name: halves[0].slice(0, 32), halves, blindings, keys: sizes.keys };
    write(WAITING, [...read(WAITING), sealed]);
    field.value = "";
    await settle(sealed);
  } catch (error) {
    say("outcome", error.message, true);
  } finally {
    find("send").disabled = false;
  }
}

async function raise(event) {
  event.preventDefault();
  const auction = state;
  const price = Number(find("step").value);
  find("sign").disabled = true;
  say("raised", "Signing …");
  try {
    await meet();
    const signed = await signedRaise(price, auction, sizes.keys).catch(() => null);
    if (signed === null) throw new Error("This browser cannot sign raises: use a newer one, or the command line.");
    const outcome = await agreed(`/auctions/${encodeURIComponent(auction.id)}/raises`, () => signed);
    offerKey();
    if (outcome.status === "accepted") say("raised", `Accepted by both servers: the price was raised to ${amount(price)} by you.`);
    else if (outcome.status === "unknown") say("raised", "The servers have not decided yet. Look at the price before you raise again.", true);
    else say("raised", `Refused: ${outcome.text}.`, true);
    await refresh();
  } catch (error) {
    say("raised", error.message, true);
  } finally {
    find("sign").disabled = false;
  }
}

function offerKey() {
  const [own] = read(KEY);
  if (own === undefined) return;
  const link = find("key");
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([keyFile(own)], { type: "application/x-pem-file" }));
  link.download = `bidder-${own.public.slice(0, 8)}.key`;
  link.hidden = false;
}

// The prices to which it can be raised now. What is chosen stays chosen while it is still above the price.
function raising(open) {
  const steps = open && state.kind === "live" ? state.prices.filter((price) => state.price === null || price > state.price) : [];
  const choice = find("step");
  find("raising").hidden = steps.length === 0;
  if (choice.dataset.steps === `${state.id} ${steps}`) return;
  const before = choice.value;
  choice.dataset.steps = `${state.id} ${steps}`;
  choice.replaceChildren(...steps.map((price) => new Option(amount(price), price)));
  if (steps.some((price) => String(price) === before)) choice.value = before;
}

function leads(own) {
  find("leads").hidden = state.kind !== "live";
  if (state.leader === null) say("leader", "nobody");
  else if (state.leader === bidder() || own.some((each) => each.body.name === state.leader)) say("leader", "you");
  else say("leader", /^[0-9a-f]{32}$/.test(state.leader) ? "a sealed bid" : "a raise");
}

function amount(number) {
  return number === null ? "–" : `${number.toLocaleString()} ${state.unit}`;
}

function left() {
  const seconds = Math.max(0, Math.round((state.deadline - Date.now() - clockDifference) / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

function draw(own) {
  say("title", state.title);
  say("phase", PHASES[state.phase]);
  say("price", state.price === null ? `from ${amount(state.lowest)}` : amount(state.price));
  say("in", `${state.in} of ${state.bids}`);
  say("unit", state.unit === "" ? "" : `(${state.unit})`);
  const open = state.phase === "bidding";
  say("time", open ? left() : "over");
  const climbs = `The price climbs from ${amount(state.lowest)} to ${amount(state.highest)}`;
  say("range", `A whole number. ${climbs}${state.kind === "live" ? " before the deadline: your bid follows it step by step, only as far as needed" : ""}.`);
  find("bid").hidden = !open;
  raising(open);
  leads(own);
  ladder();
  const mine = own.find((each) => each.body.name === state.winner);
  if (state.phase !== "ended") say("news", "");
  else if (state.winner === null) say("news", "Nobody reached the first price.");
  else say("news", mine || state.winner === bidder() ? `You won, for ${amount(state.sold_for)}.` : `Sold for ${amount(state.sold_for)}.`);
  const items = own.map((each) => {
    const item = document.createElement("li");
    const name = document.createElement("code");
    name.textContent = each.body.name;
    item.append(`${standing(each.body)} `, name);
    return item;
  });
  find("own").replaceChildren(...items);
}

function standing(bid) {
  if (bid.status !== "accepted") return `${bid.status}:`;
  if (bid.won) return "won:";
  if (bid.valid === false) return "invalid:";
  if (bid.leads && state.kind === "live" && state.phase !== "ended") return "leads:";
  if (bid.in === null) return "accepted:";
  return bid.in ? "still in:" : "out:";
}

// How many bids were in at each price.
function ladder() {
  const counts = state.in_counts;
  const most = Math.max(1, ...counts);
  const space = "http://www.w3.org/2000/svg";
  const image = document.createElementNS(space, "svg");
  image.setAttribute("viewBox", `0 0 ${state.prices.length} 1`);
  image.setAttribute("preserveAspectRatio", "none");
  counts.forEach((count, index) => {
    const bar = document.createElementNS(space, "rect");
    const values = { x: index + 0.1, y: 1 - count / most, width: 0.8, height: count / most };
    Object.entries(values).forEach(([name, value]) => bar.setAttribute(name, value));
    image.append(bar);
  });
  find("ladder").replaceChildren(image);
  const text = counts.map((count, index) => `${count} in at ${state.prices[index]}`).join(", ");
  find("ladder").setAttribute("aria-label", text === "" ? "No price has been asked yet" : text);
}

function choices(auctions) {
  find("choice").hidden = auctions.length < 2;
  const known = find("auctions");
  if (known.dataset.ids !== auctions.map((auction) => auction.id).join(" ")) {
    known.dataset.ids = auctions.map((auction) => auction.id).join(" ");
    known.replaceChildren(...auctions.map((auction) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.id = auction.id;
      button.textContent = auction.title;
      button.addEventListener("click", () => { chosen = auction.id; refresh(); });
      return button;
    }));
  }
  for (const button of known.children) button.setAttribute("aria-pressed", String(button.dataset.id === chosen));
}

async function refresh() {
  try {
    const list = (await ask(0, "/auctions")).body;
    clockDifference = list.time - Date.now();
    if (list.auctions.length === 0) {
      say("title", "There is no auction now");
      return;
    }
    chosen = chosen ?? (list.auctions.find((auction) => auction.phase === "bidding") ?? list.auctions[0]).id;
    choices(list.auctions);
    const asked = chosen;
    const names = read(NAMES).filter((own) => own.auction === asked);
    const [auction, ...own] = await Promise.all([`/auctions/${asked}`, ...names.map((each) => `/auctions/${asked}/bids/${each.name}`)].map((path) => ask(0, path)));
    if (asked === chosen && auction.status === 200) {
      state = auction.body;
      draw(own.filter((each) => each.status === 200));
    }
    trouble("");
  } catch {
    trouble("A server cannot be reached. Trying again …");
  }
}

async function live() {
  await refresh();
  setTimeout(live, state?.phase === "climbing" || state?.phase === "closing" ? 700 : 2000);
}

find("servers").textContent = SERVERS.join(" and ");
find("bid").addEventListener("submit", bid);
find("raise").addEventListener("submit", raise);
setInterval(() => { if (state?.phase === "bidding") say("time", left()); }, 1000);
live();
meet().catch((error) => trouble(error.message));
read(WAITING).forEach(settle);
