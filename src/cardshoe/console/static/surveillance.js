// The table as it is, for eyes that touch nothing.

import { el, renewed } from "./dom.js";
import { begun, get, listen } from "./net.js";
import { prefer } from "./menu.js";
import { showTable } from "./table.js";
import { speak, t } from "./texts.js";
import { markTraining } from "./training.js";
import { nextWords } from "./words.js";

const page = document.getElementById("page");

async function begin() {
  await speak();
  const facts = (await get("/api/table")).data;
  prefer();
  document.title = `${facts.table} · ${t("page.surveillance")}`;
  const next = el("h1", { class: "next" });
  const alarm = el("p", { class: "bad" });
  const table = el("div", { class: "felt" });
  const line = el("section", { class: "offline", hidden: true, role: "alert" }, t("line.down"));
  page.replaceChildren(el("div", { class: "sheet" }, el("header", {}, next), alarm, table), line);
  listen(
    (state) => {
      renewed(next, `${facts.table} · ${t("round", { n: state.round })} · ${nextWords(state)}`);
      renewed(alarm, state.alarm ? `⚠ ${state.alarm.text} (${state.alarm.code})` : "");
      showTable(table, facts, state);
      markTraining(state);
      page.dataset.step = state.due.step;
      page.dataset.sequence = String(state.sequence);
    },
    (up) => (line.hidden = up),
  );
}

begun(begin);
