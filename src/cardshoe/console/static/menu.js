// The dealer's menu: what is seldom needed. And what this screen prefers.

import { ask, reasons } from "./dialog.js";
import { button, el } from "./dom.js";
import { who } from "./net.js";
import { acting, signIn, signOut } from "./people.js";
import { LANGUAGES, place, speakIn, spoken, t } from "./texts.js";

export function prefer() {
  document.documentElement.classList.toggle("four-colours", localStorage.getItem("four-colours") === "yes");
}

function preferences(close) {
  const four = localStorage.getItem("four-colours") === "yes";
  return el(
    "div",
    { class: "row" },
    button(t(four ? "deck.two_colours" : "deck.four_colours"), () => {
      localStorage.setItem("four-colours", four ? "no" : "yes");
      prefer();
      close();
    }, { key: "four-colours" }),
    Object.entries(LANGUAGES).map(([code, name]) => button(name, () => speakIn(code), { key: `language-${code}`, disabled: code === spoken() })),
  );
}

// Something was seen that the rules speak of: it goes to the irregularity table, or to the floor.
const REPORTS = [
  ["dealer_early", { kind: "dealer_card_exposed", before_decisions_done: true }],
  ["dealer_late", { kind: "dealer_card_exposed", before_decisions_done: false }],
  ["face_up", { kind: "card_found_face_up", after_initial_deal: true }],
  ["device", { kind: "device_fault", affects_outcome: true }],
];

// A report is ruled at once, by the text or by the floor, and is not taken back: it is said twice.
function confirmed(fields) {
  const name = REPORTS.find(([, one]) => one === fields)[0];
  return ask(t("report.sure", { what: t(`report.${name}`) }), (close) => [
    el("p", {}, t("report.sure.why")),
    el("div", { class: "row" }, button(t("report.sure.do"), () => close(true), { kind: "main stop", key: "report-sure" }), button(t("close"), () => close(), { key: "report-not" })),
  ]);
}

async function report(give) {
  const chosen = await ask(t("report.title"), (close) =>
    el("div", { class: "list" }, REPORTS.map(([name, fields]) => button(t(`report.${name}`), () => close(fields), { key: `report-${name}` })), button(t("report.count"), () => close("count"), { key: "report-count" })),
  );
  if (chosen === "count") {
    const hand = await ask(t("report.whose"), (close) => el("div", { class: "row" }, ["1", "2", "3", "4", "5", "6", "dealer"].map((to) => button(place(to), () => close(to)))));
    if (!hand) return;
    const cards = await ask(t("report.cards"), (close) => el("div", { class: "row" }, [0, 1, 2, 3, 4, 5].map((n) => button(String(n), () => close(n), { kind: "main" }))));
    if (cards === null) return;
    const fields = { op: "irregularity", kind: "wrong_card_count", who: hand, cards };
    await give(hand === "dealer" ? { ...fields, repairable_in_sequence: cards < 2 } : fields);
  } else if (chosen && (await confirmed(chosen))) {
    await give({ op: "irregularity", ...chosen });
  }
}

async function doubt(give) {
  let why = "";
  const sure = await ask(t("doubt.title"), (close) => [
    reasons(["doubt.floor", "doubt.back", "doubt.marked"], (reason) => (why = reason)),
    el("div", { class: "row" }, button(t("doubt.now"), () => close(true), { kind: "main" })),
  ]);
  if (sure && why) await give({ op: "doubt_deck", role: acting("dealer"), reason: why });
}

export async function openMenu(facts, state, give) {
  const person = who();
  await ask(t("menu"), (close) => {
    const then = (act) => () => {
      close();
      act();
    };
    const pages = ["floor", "technician", "auditor", ...(facts.lab ? ["demo"] : [])];
    return [
      el("div", { class: "list" }, button(t("menu.report"), then(() => report(give)), { key: "report" }), button(t("menu.doubt"), then(() => doubt(give)), { key: "doubt" }), facts.shoe ? null : button(t("menu.cover"), then(() => give({ op: "cover_card" })))),
      el("p", { class: "links" }, pages.map((name) => el("a", { href: `/${name}` }, t(`page.${name}`)))),
      preferences(close),
      person.people ? el("div", { class: "row" }, person.name ? button(t("sign.out", { name: person.name }), then(signOut)) : button(t("sign.in"), then(signIn))) : null,
    ];
  });
}
