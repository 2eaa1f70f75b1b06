// The technician's page: devices, health, rates and how they went, the self-test, calibration.

import { ask, reasons, tell } from "./dialog.js";
import { button, el, renewed, svg } from "./dom.js";
import { frame, panel, rows, wide } from "./frame.js";
import { get, operate, post } from "./net.js";
import { acting, carried, read } from "./people.js";
import { t } from "./texts.js";

const PLOTS = ["completed", "alarms", "stacks_dispensed", "cards_read", "cards_unreadable", "losses"];
const parts = { devices: el("div", {}), plots: el("div", { class: "plots" }), notices: el("ul", {}), test: el("div", {}), trace: el("div", { class: "trace" }) };

// How a counter grew over the time of its samples; the newest value stands at its end, in words.
function plot(name, samples) {
  const width = 320;
  const height = 90;
  const values = samples.map((each) => each[name] || 0);
  const oldest = Math.max(10, ...samples.map((each) => each.age_s));
  const low = Math.min(...values, Infinity);
  const high = Math.max(...values, low + 1);
  const points = samples.map((each, n) => `${(width - 50) * (1 - each.age_s / oldest) + 4},${height - 20 - ((height - 34) * (values[n] - low)) / (high - low)}`);
  const newest = values[values.length - 1] || 0;
  return el(
    "figure",
    {},
    el("figcaption", {}, t(`rate.${name}`)),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "plot", role: "img", "aria-label": `${t(`rate.${name}`)}: ${newest}` }, svg("polyline", { points: points.join(" ") }), svg("text", { x: width - 42, y: 26 }, String(newest)), svg("text", { x: 4, y: height - 5 }, t("rate.since", { n: Math.round(oldest / 60) }))),
  );
}

async function load() {
  const answer = await get("/api/devices");
  if (!answer.ok) {
    renewed(parts.devices, answer.error.text);
    return;
  }
  const { devices, trends, notices, rates } = answer.data;
  renewed(
    parts.devices,
    rows(
      [t("device"), t("device.health"), t("device.model"), t("device.serial"), t("device.firmware"), t("device.url"), t("device.trouble")],
      devices.map((each) => el("tr", {}, el("th", { scope: "row" }, t(each.name)), el("td", { class: each.health === "up" ? "good" : "bad" }, `${each.health === "up" ? "●" : "▲"} ${each.health}`), el("td", {}, each.model), el("td", {}, each.serial), el("td", {}, each.firmware), el("td", {}, each.url), el("td", {}, each.trouble || "—"))),
    ),
    devices.length ? null : el("p", {}, t("device.nothing")),
    rates.cards_read ? el("p", {}, t("rate.unreadable", { n: ((1000 * rates.cards_unreadable) / rates.cards_read).toFixed(1) })) : null,
  );
  renewed(parts.notices, notices.length ? notices.map((each) => el("li", {}, each)) : el("li", {}, t("notices.none")));
  renewed(parts.plots, trends.length ? PLOTS.map((name) => plot(name, trends)) : t("rate.none"));
}

async function selfTest() {
  const answer = await post("/api/devices/self-test");
  if (!answer.ok) {
    tell(answer.error);
    return;
  }
  renewed(parts.test, el("ul", {}, answer.data.checks.map((each) => el("li", { class: each.ok ? "good" : "bad" }, `${each.ok ? "✓" : "✕"} ${each.name}: ${each.text}`))));
}

// What the devices were asked and what they said, newest first.
async function trace() {
  const answer = await read("/api/devices/trace?last=60");
  if (!answer.ok) {
    renewed(parts.trace, el("p", { class: "bad" }, answer.error.text));
    return;
  }
  const line = (each) => el("tr", {}, el("th", { scope: "row" }, String(each.seq)), el("td", {}, each.wall.slice(11, 23)), el("td", {}, each.round === null ? "—" : String(each.round)), el("td", {}, each.kind), el("td", {}, el("pre", {}, Object.entries(each.body).map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", "))));
  renewed(parts.trace, answer.data.records.length ? rows([t("search.seq"), t("search.time"), t("search.round"), t("search.kind"), t("search.what")], answer.data.records.map(line)) : t("search.nothing"), button(t("trace.again"), trace, { key: "trace-again" }));
}

async function calibrated() {
  let why = "";
  const field = (name) => el("input", { type: "text", maxlength: "64", "aria-label": t(`calibration.${name}`), placeholder: t(`calibration.${name}`) });
  const old = field("old");
  const fresh = field("new");
  const device = await ask(t("calibration.title"), (close) => [el("div", { class: "sign" }, old, fresh), reasons(["device"], (reason) => (why = reason)), el("div", { class: "row" }, ["shoe", "reader"].map((each) => button(t(each), () => close(each), { kind: "main" })))]);
  if (device && (await carried({ op: "change_calibration", device, old: old.value, new: fresh.value, role: acting("technician"), reason: why }, operate))) tell({ text: t("floor.done") }, { good: true });
}

let upKey = "";
frame(
  "technician",
  () => [
    wide(t("tech.devices"), parts.devices),
    panel(t("tech.notices"), parts.notices),
    panel(t("tech.do"), el("div", { class: "list" }, button(t("tech.self_test"), selfTest, { kind: "main", key: "self-test" }), button(t("calibration.title"), calibrated, { key: "calibration" })), parts.test),
    wide(t("tech.rates"), parts.plots),
    wide(t("trace.title"), (renewed(parts.trace, button(t("trace.show"), trace, { key: "trace" })), parts.trace)),
  ],
  (state) => {
    const key = `${state.shoe.up}${state.reader.up}${state.notices.length}`;
    if (key !== upKey) {
      upKey = key;
      load();
    }
  },
);
setInterval(load, 10000);
