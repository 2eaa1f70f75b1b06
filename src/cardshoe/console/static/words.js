// What is due, said to the dealer, and what the dealer does about it.

import { action, cardName, place, said, t } from "./texts.js";

// The one next thing, in large words.
export function nextWords(state) {
  if (state.stopped) return t("stopped");
  if (state.alarm) return t("held");
  const due = state.due;
  if (state.declared.length && ["settle_hand", "complete_round"].includes(due.step)) {
    return t("due.confirm", { what: state.declared.join(", ") });
  }
  switch (due.step) {
    case "wait":
      return said(due.text);
    case "take_stack":
    case "await_stack":
    case "request_stack":
      return t(`due.${due.step}`, { n: due.cards, to: place(due.to) });
    case "deal_card":
      return t(due.under_cover_card ? "due.deal_card_covered" : "due.deal_card", { to: place(due.to) });
    case "load_deck":
      return due.back ? t("due.load_deck_back", { back: backName(due.back) }) : t("due.load_deck");
    case "ask_decision":
      if (due.positions.length > 1) return t("due.ask_several", { who: due.positions.join(", ") });
      return t("due.ask_decision", { who: place(due.positions[0]) });
    case "burn_cards":
    case "turn_community":
      return t(`due.${due.step}`, { n: due.cards });
    case "deal_community":
      return t(due.face_up ? "due.deal_community" : "due.deal_community_down", { n: due.cards });
    case "read_faces":
      return t("due.read_faces", { to: place(due.place), n: due.cards });
    case "settle_hand":
    case "collect_hand":
      return t(`due.${due.step}`, { to: place(due.position) });
    default:
      return t(`due.${due.step}`);
  }
}

// What to do about a device that is not connected, for whoever reads it; "" where all are.
export function deviceLost(facts, state, page) {
  if (facts.shoe && !state.shoe.up) return t(page === "floor" ? (state.round_open ? "lost.shoe.floor" : "lost.shoe.between") : "lost.shoe");
  if (facts.reader && !state.reader.up) return t("lost.reader");
  return "";
}

export const backName = (back) => {
  const known = t(`back.${back}`);
  return known === `back.${back}` ? back : known;
};

// The operation that says that what is due was done, with its words; null where a device tells it, or nothing is due.
export function doneOperation(state, facts) {
  const due = state.due;
  switch (due.step) {
    case "open_round":
      return { op: { op: "open_round" }, words: t("do.open_round") };
    case "take_wagers":
      return { op: { op: "no_more_bets" }, words: t("do.no_more_bets") };
    case "burn_cards":
      return { op: { op: "burn", cards: due.cards }, words: t("do.burn") };
    case "deal_card":
      return { op: { op: "card", to: due.to }, words: t("do.card") };
    case "settle_hand":
      return { op: { op: "settle", position: due.position }, words: t("do.settle", { to: place(due.position) }) };
    case "collect_hand":
      return { op: { op: "collect", position: due.position }, words: t("do.collect") };
    case "complete_round":
      return { op: { op: "complete" }, words: t("do.complete") };
    case "remove_stub":
      return facts.shoe ? null : { op: { op: "remove_stub" }, words: t("do.remove_stub") };
    default:
      return null;
  }
}

// What the dealer may enter where a card reader should have told it, and did not.
export function insteadOfReader(state) {
  const due = state.due;
  switch (due.step) {
    case "deal_community":
      return { op: { op: "board", cards: due.cards }, words: t("do.board") };
    case "turn_community":
      return { op: { op: "turn_board", cards: due.cards }, words: t("do.turn_board") };
    case "turn_dealer":
      return { op: { op: "reveal_dealer" }, words: t("do.reveal_dealer") };
    default:
      return null;
  }
}

// A choice as it is said for the position `each`, with what it costs; `free`: any amount, `amount` where it is chosen.
export function spelled(facts, label, each, amount) {
  const choice = facts.choices[label];
  if (!choice || choice.kind !== "wager") return { text: label, cents: 0 };
  const ante = each.wagers.ante || 0;
  if (choice.spells !== "amount") return { text: label, cents: (choice.antes || 1) * ante };
  const cents = choice.antes ? choice.antes * ante : (amount ?? (choice.usual_antes || 1) * ante);
  return { text: `${label} ${cents}`, cents, free: !choice.antes };
}

export const choiceWords = (label) => action(label);
export const cards = (faces) => faces.map(cardName).join(" ");
