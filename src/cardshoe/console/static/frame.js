// What the pages beside the dealer's have in common: a head with the next thing, links, who is signed in, the line.

import { AlarmCover } from "./alarm.js";
import { button, el, renewed } from "./dom.js";
import { prefer } from "./menu.js";
import { begun, get, listen, onSession, renew, who } from "./net.js";
import { signIn, signOut } from "./people.js";
import { markTraining } from "./training.js";
import { speak, t } from "./texts.js";
import { deviceLost, nextWords } from "./words.js";

const PAGES = ["dealer", "floor", "technician", "auditor", "surveillance"];

function person(box) {
  const { people, name, role } = who();
  if (!people) renewed(box, el("span", { class: "soft" }, t("people.none")));
  else if (name) renewed(box, button(t("sign.out", { name: `${name} (${t(`role.${role}`)})` }), signOut, { key: "sign-out" }));
  else renewed(box, button(t("sign.in"), signIn, { kind: "main", key: "sign-in" }));
}

// Build the page called `name` of `sections(facts)`; `told(state)` is called with each state.
export const frame = (name, sections, told) => begun(() => built(name, sections, told));

async function built(name, sections, told) {
  await Promise.all([speak(), renew()]);
  const facts = (await get("/api/table")).data;
  prefer();
  const page = document.getElementById("page");
  document.title = `${facts.table} · ${t(`page.${name}`)}`;
  const next = el("p", { class: "now", "aria-live": "polite" });
  const hint = el("p", { class: "hint", hidden: true });
  const signed = el("div", {});
  const cover = el("section", { class: "alarm", hidden: true, "aria-label": t("held") });
  const alarm = new AlarmCover(cover, () => null, { floor: name === "floor" });
  const line = el("section", { class: "offline", hidden: true, role: "alert" }, t("line.down"));
  const pages = facts.lab ? [...PAGES, "demo"] : PAGES;
  const nav = el("nav", { class: "links" }, pages.map((each) => el("a", { href: `/${each}`, "aria-current": each === name ? "page" : null }, t(`page.${each}`))));
  page.replaceChildren(
    el("div", { class: "sheet" }, el("header", {}, el("h1", {}, `${facts.table} · ${t(`page.${name}`)}`), nav, signed), next, hint, name === "floor" ? el("div", { class: "panel big here" }, cover) : null, el("div", { class: "panels" }, sections(facts))),
    line,
  );
  onSession(() => person(signed));
  person(signed);
  listen(
    (state) => {
      renewed(next, `${t("round", { n: state.round })} · ${nextWords(state)}${state.alarm && name !== "floor" ? ` · ⚠ ${state.alarm.text}` : ""}`);
      const lost = deviceLost(facts, state, name);
      renewed(hint, lost);
      hint.hidden = !lost;
      if (name === "floor") {
        alarm.show(state);
        cover.parentElement.hidden = cover.hidden;
      }
      markTraining(state);
      told(state, facts);
      page.dataset.step = state.due.step;
      page.dataset.sequence = String(state.sequence);
    },
    (up) => (line.hidden = up),
  );
}

export const panel = (title, ...content) => el("section", { class: "panel" }, el("h2", {}, title), content);
export const wide = (title, ...content) => el("section", { class: "panel big" }, el("h2", {}, title), content);

export const rows = (heads, body) =>
  el("table", {}, el("thead", {}, el("tr", {}, heads.map((each) => el("th", { scope: "col" }, each)))), el("tbody", {}, body));
