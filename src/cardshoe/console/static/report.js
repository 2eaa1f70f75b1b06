// What a shift came to: counted out of the journal, shown where it is asked for, printed by the browser.

import { button, el, renewed } from "./dom.js";
import { rows } from "./frame.js";
import { read } from "./people.js";
import { money, spotName, t } from "./texts.js";

const counted = (values) => Object.entries(values).map(([name, count]) => `${name}: ${count}`).join(", ") || "—";

function figures(told) {
  const facts = [
    [t("sheet.when"), `${told.begins.slice(0, 16).replace("T", " ")} – ${told.ends.slice(0, 16).replace("T", " ")} UTC`],
    [t("sheet.end"), t(told.signed_off ? "sheet.signed_off" : "sheet.running")],
    [t("sheet.rounds"), t("shift.rounds", { n: told.settled, voids: told.voided })],
    [t("sheet.per_hour"), told.rounds_per_hour ?? "—"],
    [t("sheet.training"), told.training_rounds],
    [t("sheet.alarms"), counted(told.alarms)],
    [t("sheet.misfeeds"), `${counted(told.misfeeds)} · ${t("sheet.per_10000", { n: told.misfeeds_per_10000_cards ?? "—" })}`],
    [t("sheet.stubs"), told.stub_counts.map((each) => `${each.round}: ${each.cards}/${each.expected}`).join(", ") || "—"],
    [t("sheet.rulings"), told.rulings],
    [t("sheet.corrections"), told.corrections],
    [t("sheet.losses"), counted(told.losses)],
  ];
  return el("table", { class: "figures" }, el("tbody", {}, facts.map(([what, value]) => el("tr", {}, el("th", { scope: "row" }, what), el("td", {}, String(value))))));
}

function wagers(told) {
  const line = (name, each) => el("tr", {}, el("th", { scope: "row" }, name), [each.wagers, money(each.drop_cents), money(each.won_cents), money(each.returned_cents), money(each.house_cents), each.hold === null ? "—" : `${(100 * each.hold).toFixed(1)} %`].map((value) => el("td", { class: "right" }, String(value))));
  return rows(
    ["sheet.spot", "sheet.wagers", "sheet.drop", "sheet.won", "sheet.returned", "sheet.house", "sheet.hold"].map((key) => t(key)),
    [...Object.entries(told.spots).map(([name, each]) => line(spotName(name), each)), line(t("sheet.all"), told.in_all)],
  );
}

// Show in `place` what shift `number` came to (0: the last one), with the way to the one before.
export async function showReport(place, number = 0) {
  renewed(place, t("audit.running"));
  const answer = await read(`/api/report?shift=${number}`);
  if (!answer.ok) {
    renewed(place, el("p", { class: "bad" }, answer.error.text));
    return;
  }
  const told = answer.data;
  renewed(
    place,
    el("h3", {}, t("sheet.title", { n: told.shift, table: told.table })),
    figures(told),
    wagers(told),
    el(
      "div",
      { class: "row unprinted" },
      told.shift > 1 ? button(t("sheet.before"), () => showReport(place, told.shift - 1), { key: "report-before" }) : null,
      button(t("sheet.print"), () => window.print(), { key: "report-print" }),
    ),
  );
}
