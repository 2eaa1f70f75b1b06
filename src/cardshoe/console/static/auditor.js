// The auditor's page: search the journal, verify it, compute it all again, take a copy with its proofs.

import { button, el, renewed } from "./dom.js";
import { frame, panel, rows, wide } from "./frame.js";
import { get, post } from "./net.js";
import { t } from "./texts.js";

const parts = { verdict: el("p", { role: "status" }), found: el("div", {}), more: el("div", { class: "row" }) };
const fields = {};
let next = null;
let lines = [];

function field(name, type) {
  fields[name] = el("input", { type, "data-key": name, name, min: type === "number" ? "0" : null, maxlength: "100" });
  return el("label", {}, t(`search.${name}`), fields[name]);
}

const told = (each) => {
  const { kind, ...body } = each.body;
  return el("tr", {}, el("th", { scope: "row" }, String(each.seq)), el("td", {}, each.wall.replace("T", " ").slice(0, 19)), el("td", {}, each.round === null ? "—" : String(each.round)), el("td", {}, each.kind), el("td", {}, el("pre", {}, JSON.stringify(body))));
};

async function search(before) {
  const query = new URLSearchParams({ last: "50" });
  for (const [name, input] of Object.entries(fields)) if (input.value.trim()) query.set(name, input.value.trim());
  if (before) query.set("before", String(before));
  const answer = await get(`/api/journal?${query}`);
  if (!answer.ok) {
    renewed(parts.found, el("p", { class: "bad" }, answer.error.text));
    return;
  }
  lines = before ? [...lines, ...answer.data.records] : answer.data.records;
  next = answer.data.next;
  renewed(parts.found, lines.length ? rows([t("search.seq"), t("search.time"), t("search.round"), t("search.kind"), t("search.what")], lines.map(told)) : t("search.nothing"));
  renewed(parts.more, next ? button(t("search.more"), () => search(next), { key: "more" }) : null);
}

async function judged(path, good) {
  renewed(parts.verdict, t("audit.running"));
  parts.verdict.className = "";
  const answer = await post(path);
  const ok = answer.ok && answer.data.ok;
  parts.verdict.className = ok ? "good" : "bad";
  renewed(parts.verdict, ok ? `✓ ${good(answer.data)}` : `✕ ${answer.ok ? answer.data.why : answer.error.text}`);
}

frame(
  "auditor",
  () => [
    panel(
      t("audit.prove"),
      el(
        "div",
        { class: "list" },
        button(t("audit.verify"), () => judged("/api/journal/verify", (data) => t("audit.verified", { n: data.records, head: data.head.slice(0, 16) })), { kind: "main", key: "verify" }),
        button(t("audit.replay"), () => judged("/api/journal/replay", (data) => t("audit.replayed", { n: data.rounds, settled: data.settled })), { key: "replay" }),
      ),
      el("p", { class: "links" }, el("a", { href: "/api/journal/export", download: "journal.jsonl" }, t("audit.export"))),
      parts.verdict,
    ),
    wide(
      t("search.title"),
      el(
        "form",
        { class: "search", onsubmit: (event) => { event.preventDefault(); search(null); } },
        field("kind", "text"),
        field("round", "number"),
        field("text", "text"),
        el("button", { type: "submit", class: "main", "data-key": "search" }, t("search.go")),
      ),
      parts.found,
      parts.more,
    ),
  ],
  () => {
    if (!lines.length && next === null) {
      next = 0;
      search(null);
    }
  },
);
