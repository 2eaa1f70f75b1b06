// The last rounds, rebuilt hand by hand from the journal: revealed cards only, each wager with its clause.

import { el } from "./dom.js";
import { rows } from "./frame.js";
import { action, cardName, categoryName, money, outcomeName, signed, spotName, t } from "./texts.js";

export const faces = (cards) => (cards || []).map((card) => el("span", { class: `face-word suit-${card[1]}` }, cardName(card)));

function hand(position, account) {
  const result = account.result;
  const wagers = result
    ? result.wagers.map((each) => el("div", {}, `${spotName(each.spot)} ${money(each.staked_cents)}: `, el("b", { class: each.outcome === "win" ? "good" : each.outcome === "lose" ? "bad" : "" }, outcomeName(each.outcome)), each.won_cents ? ` ${signed(each.won_cents)}` : "", each.cites ? el("small", {}, ` ${each.cites}`) : null))
    : Object.entries(account.wagers).map(([name, cents]) => el("div", {}, `${spotName(name)} ${money(cents)}`));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, position),
    el("td", {}, account.player),
    el("td", {}, account.faces.length ? faces(account.faces) : t("rounds.sealed")),
    el("td", {}, account.decided.map(action).join(", ")),
    el("td", {}, result && result.category ? categoryName(result.category) : t(`state.${account.status}`)),
    el("td", {}, wagers),
    el("td", { class: "right" }, result && result.won_cents ? signed(result.won_cents) : "—"),
  );
}

const TOLD = ["hold-cleared", "alarm-raised", "irregularity-found", "floor-ruled", "entry-corrected", "declared-confirmed", "alarm_raised", "alarm_cleared", "ordered", "stub_counted"];

function happenings(records) {
  return records
    .filter((each) => TOLD.includes(each.kind))
    .map((each) => {
      const { kind, ...body } = each.body;
      const words = Object.entries(body).filter(([, value]) => typeof value !== "object" && value !== "").map(([key, value]) => `${key} ${value}`).join(", ");
      return el("li", {}, el("b", {}, each.kind.replace(/[_-]/g, " ")), ` ${words} `, el("small", {}, `#${each.seq}`));
    });
}

export function roundTold(each) {
  const account = each.account;
  const events = happenings(each.records);
  const title = `${t("round", { n: each.round })} · ${each.opened.replace("T", " ").slice(0, 19)}${account ? "" : ` · ${t("rounds.open")}`}${account && account.voided ? ` · ${t("status.void")}` : ""}`;
  return el(
    "details",
    { open: true },
    el("summary", {}, title),
    account ? el("p", {}, t("dealer"), " ", faces(account.dealer), " ", account.board.length ? [t("rounds.board"), " ", faces(account.board)] : null) : null,
    account ? rows([t("rounds.position"), t("rounds.player"), t("rounds.cards"), t("rounds.said"), t("rounds.hand"), t("rounds.wagers"), t("rounds.won")], Object.entries(account.positions).map(([position, one]) => hand(position, one))) : null,
    events.length ? el("ul", {}, events) : null,
  );
}

