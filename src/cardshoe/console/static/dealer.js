// The dealer's page: the table, the one next thing, and what is said by a touch.

import { AlarmCover } from "./alarm.js";
import { correction } from "./correct.js";
import { ask, askCard, askNumber, reasons, tell } from "./dialog.js";
import { button, el, renewed, svg, tappable } from "./dom.js";
import { begun, get, listen, operate, post, renew } from "./net.js";
import { seat } from "./layout.js";
import { limitsShown } from "./limits.js";
import { openMenu, prefer } from "./menu.js";
import { acting, carried } from "./people.js";
import { showTable } from "./table.js";
import { action, money, place, speak, spotName, t } from "./texts.js";
import { markTraining } from "./training.js";
import { backName, deviceLost, doneOperation, insteadOfReader, nextWords, spelled } from "./words.js";

const CHIPS = [100, 500, 2500, 10000, 50000];
const page = document.getElementById("page");
const parts = {};
let facts = null;
let state = null;
let lab = { robot: false };
let chip = 500;
let chosen = null; // the position that decides, where several may
let amount = null; // the amount of a decision, where it is free
let dueKey = "";
let dueSince = 0;
let sending = false;
let silentFor = 0;

// Do one operation, and wait until its outcome is shown: what is touched next is about what is seen.
const give = async (operation) => {
  if (sending) return false;
  sending = true;
  page.classList.add("sending");
  try {
    const done = await carried(operation, operate);
    if (done && done.sequence) await shown(done.sequence);
    return Boolean(done);
  } finally {
    sending = false;
    page.classList.remove("sending");
  }
};

async function shown(sequence) {
  for (let n = 0; n < 100 && state.sequence < sequence; n += 1) await new Promise((again) => setTimeout(again, 10));
}

// Chips may be laid down faster than they are written down: each touch waits for the one before.
let chipsDown = Promise.resolve();
const inTurn = (act) => {
  chipsDown = chipsDown.then(act);
};

// A second touch of the same finger is none: what it would do was not on the screen when it began.
const TWICE_MS = 300;
const deliberate = (act) => () => {
  if (Date.now() - dueSince >= TWICE_MS) act();
};

// --- wagers

const playerOf = (each) => each.player || t("player", { n: each.position });

async function tapSpot(position, name) {
  if (state.due.step !== "take_wagers") return;
  const each = state.positions.find((one) => one.position === position);
  const spot = facts.spots.find((one) => one.name === name);
  if (!spot || spot.placed === "decision") {
    tell({ text: t("wager.later", { spot: spotName(name) }), cites: spot ? spot.cites : null });
    return;
  }
  if (!each.player && !(await give({ op: "seat", position: each.position, player: playerOf(each) }))) return;
  const together = [name, ...facts.spots.filter((one) => one.equals === name || spot.equals === one.name).map((one) => one.name)];
  const player = playerOf(each);
  if (chip === 0) {
    const lie = [...together, ...facts.spots.filter((one) => one.beside.some((b) => together.includes(b))).map((one) => one.name)];
    const wagers = [...new Set(lie)].filter((one) => each.wagers[one]);
    if (wagers.length) await give({ op: "withdraw", position: each.position, player, wagers });
    return;
  }
  const wagers = Object.fromEntries(together.map((one) => [one, (each.wagers[one] || 0) + chip]));
  await give({ op: "wager", position: each.position, player, wagers });
}

async function tapSeat(each) {
  if (state.due.step === "ask_decision") {
    if (state.due.positions.includes(each.position)) {
      chosen = each.position;
      draw();
    }
    return;
  }
  if (state.due.step !== "take_wagers" && !each.player) return;
  if (!each.player) await give({ op: "seat", position: each.position, player: playerOf(each) });
  else if (await ask(`${place(each.position)}: ${each.player}`, (close) => el("div", { class: "row" }, button(t("seat.leave"), () => close(true), { kind: "main" }), button(t("close"), () => close())))) {
    await give({ op: "leave", player: each.player });
  }
}

function chips() {
  const row = CHIPS.map((cents, n) =>
    el(
      "button",
      { type: "button", class: `chipbutton c${n}`, "aria-pressed": String(chip === cents), "data-key": `chip-${cents}`, onclick: () => { chip = cents; draw(); } },
      money(cents),
    ),
  );
  const back = el("button", { type: "button", class: "chipbutton take", "aria-pressed": String(chip === 0), "data-key": "chip-0", onclick: () => { chip = 0; draw(); } }, t("wager.take_back"));
  return el("div", { class: "chips", role: "group", "aria-label": t("chips") }, row, back);
}

// --- decisions

const spelledFor = (label, each) => spelled(facts, label, each, amount);

// Large buttons beside the position whose turn it is, on its side of the table, over shoe or rack.
function decisions(drawing) {
  const due = state.due;
  const active = document.activeElement && document.activeElement.closest(".decide") ? document.activeElement.getAttribute("data-key") : null;
  const old = drawing.querySelector(".decide");
  if (old) old.remove();
  if (due.step !== "ask_decision") return;
  const who = due.positions.includes(chosen) ? chosen : due.positions[0];
  const each = state.positions.find((one) => one.position === who);
  const left = Number(who) <= 3;
  const width = 282;
  const x = left ? 4 : 800 - 4 - width;
  const top = 222;
  const at = seat(who);
  const tip = Math.min(Math.max(at.x, x + 24), x + width - 24);
  const group = svg("g", { class: "decide" });
  group.append(svg("path", { class: "bubble", d: `M${x + 8} ${top} H${tip - 12} L${at.x} ${at.y + 191} L${tip + 12} ${top} H${x + width - 8} q8 0 8 8 V333 q0 8 -8 8 H${x + 8} q-8 0 -8 -8 V${top + 8} q0 -8 8 -8 z` }));
  group.append(svg("text", { x: x + width / 2, y: top + 19, class: "title", "text-anchor": "middle" }, place(who)));
  const size = (width - 12) / due.choices.length;
  due.choices.forEach((label, n) => {
    const { text, cents } = spelledFor(label, each);
    const kind = (facts.choices[label] || {}).kind || "";
    const left_ = x + 6 + n * size;
    const one = svg("g", { class: `choice ${kind}` });
    one.append(svg("rect", { x: left_ + 3, y: top + 27, width: size - 6, height: 81, rx: 10 }));
    one.append(svg("text", { x: left_ + size / 2, y: top + (cents ? 62 : 73), class: "word", "text-anchor": "middle" }, action(label)));
    if (cents) one.append(svg("text", { x: left_ + size / 2, y: top + 88, class: "sum", "text-anchor": "middle" }, money(cents)));
    tappable(one, `${place(who)}: ${action(label)} ${cents ? money(cents) : ""}`, deliberate(() => give({ op: "decide", position: who, action: text })), `choice-${label}`);
    group.append(one);
  });
  drawing.append(group);
  const again = active && group.querySelector(`[data-key="${CSS.escape(active)}"]`);
  if (again) again.focus({ preventScroll: true });
}

function amounts() {
  const due = state.due;
  const who = due.positions.includes(chosen) ? chosen : due.positions[0];
  const each = state.positions.find((one) => one.position === who);
  const label = due.choices.find((one) => spelledFor(one, each).free);
  if (!label) return null;
  const { cents } = spelledFor(label, each);
  const set = (value) => { amount = value; draw(); };
  return el(
    "div",
    { class: "chips", role: "group", "aria-label": t("amount") },
    [1, 2, 3].map((antes) => button(t("amount.antes", { n: antes }), () => set(antes * (each.wagers.ante || 0)), { kind: "chipbutton take", key: `antes-${antes}` })),
    CHIPS.slice(0, 3).map((more, n) => button(`+${money(more)}`, () => set(cents + more), { kind: `chipbutton c${n}`, key: `more-${more}` })),
  );
}

// --- the bar below

const handsMove = ["load_deck", "clear_gate", "take_stack", "deal_community", "turn_community", "turn_dealer", "read_faces", "remove_stub"];

async function enterCard() {
  const due = state.due;
  const card = await askCard(t("card.title", { to: place(due.place) }));
  if (card) await give({ op: "turned", place: due.place, card });
}

async function countStub() {
  const cards = await askNumber(t("due.count_stub"), 52);
  if (cards !== null) await give({ op: "count_stub", cards });
}

function main(label, act, key = "main", kind = "main") {
  return button(label, deliberate(act), { kind, key });
}

function actions() {
  const due = state.due;
  const found = [];
  if (state.alarm || state.stopped) return found;
  if (state.declared.length && ["settle_hand", "complete_round"].includes(due.step)) {
    found.push(main(t("do.confirm"), () => give({ op: "confirm", role: acting("floor") }), "confirm"));
    return found;
  }
  const done = doneOperation(state, facts);
  if (done) found.push(main(done.words, () => give(done.op), "main"));
  if (due.step === "count_stub") found.push(main(t("do.count_stub"), countStub));
  if (due.step === "load_deck" && facts.backs.length) {
    for (const back of facts.backs) found.push(main(backName(back), () => give({ op: "place_deck", back }), `back-${back}`, ""));
  }
  if (facts.lab && !lab.robot && handsMove.includes(due.step)) {
    found.push(main(t("do.hands"), hands, "hands", "main hands"));
  }
  const instead = insteadOfReader(state);
  if (instead && (!facts.reader || !state.reader.up || silentFor > 3)) found.push(main(instead.words, () => give(instead.op), "instead", facts.reader ? "" : "main"));
  if (due.step === "read_faces") found.push(main(t("do.enter_card"), enterCard, "enter-card", facts.reader ? "" : "main"));
  return found;
}

async function hands() {
  if (sending) return;
  sending = true;
  page.classList.add("sending");
  const answer = await post("/api/lab/hands");
  sending = false;
  page.classList.remove("sending");
  if (!answer.ok) tell(answer.error);
}

// A demo has nobody at the machine: its simulated person frees, closes, plugs and carries what the alarm is about.
async function seeToIt() {
  const answer = await post("/api/lab/cure", { name: "everything" });
  tell(answer.ok ? { text: answer.data.done } : answer.error, { good: answer.ok });
}

async function stop() {
  let why = "";
  const sure = await ask(t("stop.title"), (close) => {
    const go = button(t("stop.now"), () => close(true), { kind: "main stop", key: "stop-now" });
    return [reasons(["stop.card", "stop.player", "stop.machine"], (reason) => (why = reason)), el("div", { class: "row" }, go, button(t("close"), () => close()))];
  });
  if (sure) await give({ op: "stop", role: acting("dealer"), reason: why.trim() || t("reason.stop.machine") });
}

// --- drawing

function lights() {
  const light = (name, up, words) => el("span", { class: `light ${up ? "up" : "down"}`, title: words }, el("span", { "aria-hidden": "true" }, up ? "●" : "▲"), name);
  return [
    facts.shoe ? light(t("shoe"), state.shoe.up, state.shoe.deck) : null,
    facts.reader ? light(t("reader"), state.reader.up, "") : null,
    el("span", { class: "light" }, t("round", { n: state.round })),
    el("span", { class: "light" }, limitsShown(facts, state)),
  ];
}

function draw() {
  if (!state) return;
  const words = nextWords(state);
  renewed(parts.next, words);
  parts.next.className = `next ${["wait", "await_stack", "request_stack"].includes(state.due.step) ? "waits" : "acts"} ${words.length > 52 ? "long" : ""}`;
  renewed(parts.lights, lights());
  const drawing = showTable(parts.table, facts, state, { spot: (each, name) => inTurn(() => tapSpot(each.position, name)), seat: tapSeat });
  decisions(drawing);
  const due = state.due;
  const buttons = actions();
  const extra = due.step === "take_wagers" && !state.alarm ? chips() : due.step === "ask_decision" && !state.alarm ? amounts() : null;
  const fix = state.alarm ? null : correction(facts, state, give, "dealer", "side");
  renewed(parts.bar, extra, buttons, buttons.length || extra ? null : el("span", { class: "idle" }, state.alarm ? "" : hint()), fix);
  parts.alarm.show(state);
  page.dataset.step = due.step;
  page.dataset.sequence = String(state.sequence);
}

function hint() {
  const lost = deviceLost(facts, state, "dealer");
  if (lost) return lost;
  if (state.due.step === "ask_decision") return t("hint.ask");
  if (facts.lab && lab.robot) return t("hint.robot");
  return t("hint.watch");
}

function took(newer) {
  state = newer;
  markTraining(state);
  const key = JSON.stringify(newer.due);
  if (key !== dueKey) {
    dueKey = key;
    dueSince = Date.now();
    chosen = null;
    amount = null;
    silentFor = 0;
  }
  draw();
}

// --- keys: 1–6 choose a position, letters the choices, Enter the main button

function keyed(event) {
  if (!state || event.target.closest("dialog, input, .alarm:not([hidden])") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[1-6]$/.test(event.key)) {
    const each = state.positions.find((one) => one.position === event.key);
    if (each) tapSeat(each);
  } else if (event.key === "Enter" && document.activeElement === document.body) {
    const first = parts.bar.querySelector("button.main");
    if (first) first.click();
  } else if (state.due.step === "ask_decision") {
    const hits = state.due.choices.filter((label) => label[0] === event.key.toLowerCase() || label.endsWith(`${event.key}x`));
    if (hits.length === 1) parts.table.querySelector(`[data-key="choice-${CSS.escape(hits[0])}"]`).dispatchEvent(new MouseEvent("click"));
  }
}

async function begin() {
  await Promise.all([speak(), renew()]);
  facts = (await get("/api/table")).data;
  if (facts.lab) lab = (await get("/api/lab")).data;
  prefer();
  document.title = `${facts.table} · ${t("page.dealer")}`;
  parts.next = el("h1", { class: "next", "aria-live": "polite" });
  parts.lights = el("div", { class: "lights" });
  parts.table = el("div", { class: "felt" });
  parts.bar = el("footer", { class: "bar" });
  const cover = el("section", { class: "alarm", hidden: true, "aria-label": t("held") });
  parts.alarm = new AlarmCover(cover, () => (facts.lab && !lab.robot ? button(t("do.see_to_it"), seeToIt, { key: "see-to-it" }) : null));
  parts.line = el("section", { class: "offline", hidden: true, role: "alert" }, t("line.down"));
  page.replaceChildren(
    el("header", { class: "top" }, parts.next, parts.lights, button(t("stop"), stop, { kind: "stop", key: "stop" }), button("☰", () => openMenu(facts, state, give), { kind: "menu", key: "menu", more: el("span", { class: "unseen" }, t("menu")) })),
    parts.table,
    parts.bar,
    cover,
    parts.line,
  );
  document.addEventListener("keydown", keyed);
  listen(took, (up) => (parts.line.hidden = up));
  setInterval(async () => {
    silentFor += 1;
    if (silentFor === 4 && state && insteadOfReader(state)) draw();
    if (facts.lab && silentFor % 3 === 0) {
      const told = await get("/api/lab");
      if (told.ok && told.data.robot !== lab.robot) {
        lab = told.data;
        draw();
      }
    }
  }, 1000);
}

begun(begin);
