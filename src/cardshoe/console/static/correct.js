// The last entry, corrected: what was said, what was meant instead, and why.

import { ask, askCard, askMoney, reasons } from "./dialog.js";
import { button, el, renewed } from "./dom.js";
import { acting } from "./people.js";
import { action, cardName, money, place, spotName, t } from "./texts.js";
import { spelled } from "./words.js";

const wagersSaid = (wagers) => Object.entries(wagers).map(([name, cents]) => `${spotName(name)} ${money(cents)}`).join(", ");

function saidWords(last) {
  if (last.op === "wager") return wagersSaid(last.said);
  return last.op === "turned" ? cardName(last.said) : action(last.said);
}

// The button that corrects the last entry, or null where there is none that can be corrected.
export function correction(facts, state, give, role, kind = "") {
  const last = state.last_entry;
  if (!last) return null;
  const words = el("small", {}, last.op === "wager" && kind ? place(last.position) : `${place(last.position)}: ${saidWords(last)}`);
  return button(t("correct"), () => correct(facts, state, give, role), { kind, key: "correct", more: words });
}

// What could have been meant: the words of a button, and what it gives, which may ask further (null: nothing).
function offers(facts, state, last) {
  if (last.op === "turned") return [{ words: t("correct.card"), pick: async () => carded(await askCard(t("card.title", { to: place(last.position) }))) }];
  if (last.op === "wager") return [{ words: t("correct.amounts"), pick: () => askWagers(facts, last) }];
  const each = state.positions.find((one) => one.position === last.position);
  const found = last.choices.flatMap((label) => {
    const one = spelled(facts, label, each, null);
    return one.free ? [1, 2, 3].map((antes) => spelled(facts, label, each, antes * (each.wagers.ante || 0))) : [one];
  });
  return found
    .filter((one) => one.text !== last.said)
    .map((one) => ({ words: `${action(one.text)}${one.cents && !/ \d+$/.test(one.text) ? ` ${money(one.cents)}` : ""}`, pick: async () => ({ action: one.text }) }));
}

const carded = (card) => (card ? { card } : null);

// New amounts for the spots that were wagered on; a spot that equals another follows it.
function askWagers(facts, last) {
  const wagers = { ...last.said };
  return ask(t("correct.amounts"), (close) => {
    const list = el("div", { class: "row" });
    const change = async (name) => {
      const cents = await askMoney(spotName(name));
      if (cents === null) return;
      const same = facts.spots.filter((one) => one.equals === name || one.name === name || facts.spots.some((two) => two.name === name && two.equals === one.name));
      for (const one of same) if (one.name in wagers) wagers[one.name] = cents;
      draw();
    };
    const draw = () => renewed(list, Object.entries(wagers).map(([name, cents]) => button(`${spotName(name)} ${money(cents)}`, () => change(name), { key: `amount-${name}` })));
    draw();
    return [list, el("div", { class: "row" }, button(t("floor.do"), () => close({ wagers }), { kind: "main", key: "amounts-do" }))];
  });
}

async function correct(facts, state, give, role) {
  const last = state.last_entry;
  let why = "";
  const title = t("correct.title", { who: place(last.position), was: saidWords(last) });
  const meant = await ask(title, (close) => {
    const buttons = offers(facts, state, last).map((one, n) =>
      button(one.words, async () => {
        const fields = await one.pick();
        if (fields) close(fields);
      }, { kind: "main", key: `meant-${n}`, disabled: true }),
    );
    const chosen = (reason) => {
      why = reason.trim();
      for (const each of buttons) each.disabled = !why;
    };
    return [el("p", {}, t("correct.why")), reasons(["mistap", "misheard", "miscounted"], chosen), el("div", { class: "row" }, buttons)];
  });
  if (meant) await give({ op: "correct", of: last.number, ...meant, role: acting(role), reason: why });
}
