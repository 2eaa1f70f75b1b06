// The floor's page: what holds the table and the lawful answers, rulings, corrections, limits, shifts, the last rounds.

import { correction } from "./correct.js";
import { ask, askNumber, reasons, tell } from "./dialog.js";
import { button, el, renewed } from "./dom.js";
import { frame, panel, wide } from "./frame.js";
import { limitsShown, setLimits } from "./limits.js";
import { get, onSession, operate, who } from "./net.js";
import { acting, carried, read } from "./people.js";
import { showReport } from "./report.js";
import { roundTold } from "./rounds.js";
import { showTable } from "./table.js";
import { place, t } from "./texts.js";
import { backName } from "./words.js";

let state = null;
let facts = null;
let roundsKey = "";
const parts = {
  table: el("div", { class: "felt" }),
  rounds: el("div", {}),
  report: el("div", { class: "report" }),
  facts: el("ul", {}),
  now: el("div", { class: "list" }),
  between: el("div", { class: "list" }),
};

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

function decks() {
  const backs = facts.backs.length ? facts.backs : [""];
  return backs.map((back) =>
    button(back ? t("floor.replace_back", { back: backName(back) }) : t("floor.replace"), () => withReason(t("floor.replace"), ["worn", "doubt.marked"], { op: "replace_deck", back }), { key: `replace-${back}` }),
  );
}

async function training() {
  const on = !state.training;
  await withReason(t(on ? "training.on" : "training.off"), ["training.dealer", "training.house"], { op: "set_training", on }, t(on ? "training.on" : "training.off"));
}

const failed = () => withReason(t("failed.title"), ["failed.power", "failed.jam", "failed.line"], { op: "give_up_shoe" }, t("failed.do"));

const reopen = () => withReason(t("floor.reopen"), ["shift"], { op: "reopen_table" }, t("floor.reopen"));

// One act; `when` names when it can be done, where that is not now.
function act(key, words, does, when = "", kind = "") {
  return button(words, does, { key, kind, disabled: Boolean(when), more: when ? el("small", {}, t(`when.${when}`)) : null });
}

function now() {
  const open = state.round_open ? "" : "round";
  return [
    act("stop", t("floor.stop"), () => withReason(t("stop.title"), ["stop.card", "stop.player", "stop.machine"], { op: "stop" }, t("stop.now")), "", "stop"),
    correction(facts, state, give, "floor") || act("correct", t("correct"), () => {}, "entry"),
    act("rule", t("floor.rule"), ruling, open),
    act("void", t("floor.void"), voidRound, open),
    act("confirm", t("floor.confirm"), () => give({ op: "confirm", role: acting("floor") }), state.declared.length ? "" : "declared"),
    act("stub", t("floor.stub"), stub, state.due.step === "count_stub" ? "" : "settled"),
    facts.shoe ? act("failed", t("failed"), failed, state.shoe.up ? "lost" : state.shoe.owes ? "" : "owes") : null,
    act("doubt", t("menu.doubt"), () => withReason(t("doubt.title"), ["doubt.floor", "doubt.back", "doubt.marked"], { op: "doubt_deck" }, t("doubt.now"))),
    facts.shoe ? act("shuffled", t("floor.shuffled"), () => withReason(t("floor.shuffled"), ["stop.machine"], { op: "shuffle_by_hand" })) : null,
  ];
}

function between() {
  const closed = state.round_open ? "between" : "";
  return [
    act("limits", t("limits.title"), () => setLimits(facts, state, give), closed),
    act("training", t(state.training ? "training.off" : "training.on"), training, closed),
    decks(),
    state.signed_off ? act("reopen", t("floor.reopen"), reopen, "", "main") : act("sign-off", t("floor.sign_off"), signOff, closed),
  ];
}

async function loadRounds() {
  const answer = await (who().people ? read : get)("/api/rounds?last=4");
  if (answer.ok) renewed(parts.rounds, answer.data.rounds.length ? answer.data.rounds.map(roundTold) : t("rounds.none"));
  else renewed(parts.rounds, answer.error.text);
}

// Where people sign in the rounds are shown to whoever may see them, once they are asked for.
function offerRounds() {
  if (who().people) renewed(parts.rounds, button(t("rounds.show"), loadRounds, { key: "rounds-show" }));
  else loadRounds();
}

const offerReport = () => renewed(parts.report, button(t("sheet.show"), () => showReport(parts.report), { key: "report-show" }));

frame(
  "floor",
  (given) => {
    facts = given;
    offerReport();
    onSession(() => {
      offerReport(); // what one person has looked at is not left for the next
      if (who().people) offerRounds();
    });
    return [
      wide(t("floor.table"), parts.table),
      panel(t("floor.actions"), parts.now),
      panel(t("floor.between"), parts.between),
      panel(t("floor.shift"), parts.facts),
      wide(t("floor.rounds"), parts.rounds),
      wide(t("sheet.panel"), parts.report),
    ];
  },
  (newer) => {
    state = newer;
    showTable(parts.table, facts, state);
    const tally = state.tally;
    const lines = [
      t("shift.rounds", { n: tally.completed, voids: tally.voided }),
      t("shift.alarms", { n: tally.alarms }),
      t("shift.stacks", { n: tally.stacks_dispensed, asked: tally.stacks_requested }),
      t("shift.deck", { deck: state.shoe.deck }),
      limitsShown(facts, state) || t("limits.none"),
      ...state.notices,
    ];
    renewed(parts.facts, lines.map((each) => el("li", {}, each)));
    renewed(parts.now, now().flat().filter(Boolean));
    renewed(parts.between, between().flat().filter(Boolean));
    const key = `${tally.completed}/${tally.voided}/${state.round}/${state.alarm ? state.alarm.code : ""}`;
    if (key !== roundsKey) {
      roundsKey = key;
      offerRounds();
    }
  },
);
