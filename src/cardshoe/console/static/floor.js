// The floor's page: what holds the table and the lawful answers, the last four rounds, decks, counts, rulings.

import { ask, askNumber, reasons, tell } from "./dialog.js";
import { button, el, renewed } from "./dom.js";
import { frame, panel, wide } from "./frame.js";
import { get, operate } from "./net.js";
import { acting, carried } from "./people.js";
import { roundTold } from "./rounds.js";
import { drawTable } from "./table.js";
import { action, place, t } from "./texts.js";
import { backName } from "./words.js";

let state = null;
let facts = null;
let roundsKey = "";
const parts = { table: el("div", { class: "felt" }), rounds: el("div", {}), facts: el("ul", {}), last: el("div", { class: "row" }) };

async function give(operation) {
  const done = await carried(operation, operate);
  if (done) tell({ text: t("floor.done") }, { good: true });
  return done;
}

// Ask for a reason, then do it in the floor's name.
async function withReason(title, keys, operation, label) {
  let why = "";
  const sure = await ask(title, (close) => [
    reasons(keys, (reason) => (why = reason)),
    el("div", { class: "row" }, button(label || t("floor.do"), () => (why.trim() ? close(true) : null), { kind: "main", key: "do" })),
  ]);
  if (sure) await give({ ...operation, role: acting("floor"), reason: why.trim() });
}

async function ruling() {
  const hand = await ask(t("floor.rule.whose"), (close) => el("div", { class: "row" }, ["all", ...facts.positions].map((to) => button(place(to), () => close(to)))));
  if (!hand) return;
  const outcome = await ask(t("floor.rule.how"), (close) => el("div", { class: "row" }, ["void", "stands"].map((each) => button(t(`floor.rule.${each}`), () => close(each), { kind: "main" }))));
  if (outcome) await give({ op: "irregularity", kind: "floor_ruling", who: hand, outcome });
}

async function voidRound() {
  const sure = await ask(t("floor.void.title"), (close) => el("div", { class: "row" }, button(t("floor.void"), () => close(true), { kind: "main stop" }), button(t("close"), () => close())));
  if (sure) await give({ op: "irregularity", kind: "device_fault", affects_outcome: true });
}

async function signOff() {
  const cards = await askNumber(t("floor.sign_off.count"), 104);
  if (cards !== null) await withReason(t("floor.sign_off"), ["shift"], { op: "sign_off", cards });
}

async function stub() {
  const cards = await askNumber(t("due.count_stub"), 52);
  if (cards !== null) await give({ op: "count_stub", cards });
}

async function correct() {
  const last = state.last_entry;
  if (!last) return;
  const each = state.positions.find((one) => one.position === last.position);
  const labels = last.op === "decide" ? Object.keys(facts.choices) : [];
  if (!labels.length) {
    tell({ text: t("correct.wager") });
    return;
  }
  const was = each.decided[each.decided.length - 1] || "";
  const picked = await ask(t("correct.title", { who: place(last.position), was: action(was) }), (close) =>
    el("div", { class: "row" }, labels.map((label) => button(action(label), () => close(facts.choices[label].spells === "amount" ? `${label} ${(facts.choices[label].usual_antes || 1) * (each.wagers.ante || 0)}` : label), { kind: "main" }))),
  );
  if (picked) await give({ op: "correct", of: last.number, action: picked });
}

function decks() {
  const backs = facts.backs.length ? facts.backs : [""];
  return backs.map((back) =>
    button(back ? t("floor.replace_back", { back: backName(back) }) : t("floor.replace"), () => withReason(t("floor.replace"), ["worn", "doubt.marked"], { op: "replace_deck", back }), { key: `replace-${back}` }),
  );
}

const actions = () =>
  el(
    "div",
    { class: "list" },
    button(t("floor.stop"), () => withReason(t("stop.title"), ["stop.card", "stop.player", "stop.machine"], { op: "stop" }, t("stop.now")), { kind: "stop", key: "stop" }),
    button(t("floor.rule"), ruling, { key: "rule" }),
    button(t("floor.void"), voidRound, { key: "void" }),
    button(t("floor.confirm"), () => give({ op: "confirm", role: acting("floor") }), { key: "confirm" }),
    button(t("floor.stub"), stub, { key: "stub" }),
    button(t("menu.doubt"), () => withReason(t("doubt.title"), ["doubt.floor", "doubt.back", "doubt.marked"], { op: "doubt_deck" }, t("doubt.now")), { key: "doubt" }),
    facts.shoe ? button(t("floor.shuffled"), () => withReason(t("floor.shuffled"), ["stop.machine"], { op: "shuffle_by_hand" }), { key: "shuffled" }) : null,
    decks(),
    button(t("floor.sign_off"), signOff, { key: "sign-off" }),
  );

async function loadRounds() {
  const answer = await get("/api/rounds?last=4");
  if (answer.ok) renewed(parts.rounds, answer.data.rounds.length ? answer.data.rounds.map(roundTold) : t("rounds.none"));
  else renewed(parts.rounds, answer.error.text);
}

frame(
  "floor",
  (given) => {
    facts = given;
    return [
      wide(t("floor.table"), parts.table, parts.last),
      panel(t("floor.actions"), actions()),
      panel(t("floor.shift"), parts.facts),
      wide(t("floor.rounds"), parts.rounds),
    ];
  },
  (newer) => {
    state = newer;
    renewed(parts.table, drawTable(facts, state));
    const tally = state.tally;
    const lines = [
      t("shift.rounds", { n: tally.completed, voids: tally.voided }),
      t("shift.alarms", { n: tally.alarms }),
      t("shift.stacks", { n: tally.stacks_dispensed, asked: tally.stacks_requested }),
      t("shift.deck", { deck: state.shoe.deck }),
      ...state.notices,
    ];
    renewed(parts.facts, lines.map((each) => el("li", {}, each)));
    const last = state.last_entry;
    renewed(parts.last, last && last.op === "decide" ? button(`${t("correct")}: ${place(last.position)}`, correct, { key: "correct" }) : null);
    const key = `${tally.completed}/${tally.voided}/${state.round}/${state.alarm ? state.alarm.code : ""}`;
    if (key !== roundsKey) {
      roundsKey = key;
      loadRounds();
    }
  },
);
