// The panel of a demo: who deals, what is made to go wrong, what is done about it. And the table beside it.

import { AlarmCover } from "./alarm.js";
import { tell } from "./dialog.js";
import { button, el, renewed } from "./dom.js";
import { begun, get, listen, post, renew } from "./net.js";
import { prefer } from "./menu.js";
import { showTable } from "./table.js";
import { speak, t } from "./texts.js";
import { markTraining } from "./training.js";
import { nextWords } from "./words.js";

const page = document.getElementById("page");
let lab = null;

async function act(path, body) {
  const answer = await post(path, body);
  tell(answer.ok ? { text: answer.data.done || t("demo.done") } : answer.error, { good: answer.ok });
  return answer.ok;
}

async function begin() {
  await Promise.all([speak(), renew()]);
  const facts = (await get("/api/table")).data;
  lab = (await get("/api/lab")).data;
  prefer();
  document.title = `${facts.table} · ${t("page.demo")}`;
  const next = el("h2", { "aria-live": "polite" });
  const table = el("div", { class: "felt" });
  const cover = el("section", { class: "alarm", hidden: true, "aria-label": t("held") });
  const alarm = new AlarmCover(cover, () => button(t("do.see_to_it"), () => act("/api/lab/cure", { name: "everything" }), { key: "see-to-it" }));
  const robot = el("div", { class: "row" });
  const drawRobot = () =>
    renewed(
      robot,
      button(t(lab.robot ? "demo.robot.off" : "demo.robot.on"), async () => {
        if (await act("/api/lab/robot", { on: !lab.robot })) lab.robot = !lab.robot;
        drawRobot();
      }, { kind: "main", key: "robot" }),
    );
  drawRobot();
  const rows = lab.mishaps.map((each) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, each.name),
      el("td", {}, button(each.what, () => act("/api/lab/mishap", { name: each.name }), { key: `mishap-${each.name}` })),
      el("td", {}, button(each.cure, () => act("/api/lab/cure", { name: each.name }), { key: `cure-${each.name}` })),
    ),
  );
  page.replaceChildren(
    el(
      "div",
      { class: "sheet" },
      el("header", {}, el("h1", {}, t("demo.title")), el("nav", { class: "links" }, ["dealer", "floor", "technician", "auditor"].map((name) => el("a", { href: `/${name}` }, t(`page.${name}`))))),
      el(
        "div",
        { class: "panels" },
        el("section", { class: "panel" }, el("h2", {}, t("demo.who")), el("p", {}, t("demo.who.why")), robot),
        el("section", { class: "panel big" }, next, table, cover),
        el("section", { class: "panel big" }, el("h2", {}, t("demo.faults")), el("p", {}, t("demo.faults.why")), el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, t("demo.fault")), el("th", { scope: "col" }, t("demo.happens")), el("th", { scope: "col" }, t("demo.cure")))), el("tbody", {}, rows))),
      ),
    ),
  );
  listen(
    (state) => {
      renewed(next, nextWords(state));
      showTable(table, facts, state);
      markTraining(state);
      alarm.show(state);
      page.dataset.step = state.due.step;
      page.dataset.sequence = String(state.sequence);
    },
    () => {},
  );
}

begun(begin);
