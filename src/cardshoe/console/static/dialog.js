// Things that lie over the page: a short message, a question, a keypad. One at a time; Escape closes what may be closed.

import { button, el } from "./dom.js";
import { plainly, rankOf, suitOf, t } from "./texts.js";

const RANKS = "AKQJT98765432";
const SUITS = "shdc";

let toast = null;

// Say shortly why something was refused, with the clause; it goes by itself, or at a touch.
export function tell(error, { good = false } = {}) {
  if (toast) toast.remove();
  const cites = error.cites ? el("small", {}, ` ${error.cites}`) : null;
  const box = el("div", { class: `toast ${good ? "good" : "bad"}`, role: "status" }, el("b", {}, good ? "✓ " : "✕ "), plainly(error.text), cites);
  box.addEventListener("click", () => box.remove());
  document.body.append(box);
  toast = box;
  setTimeout(() => box.remove(), good ? 2500 : 8000);
}

// Open a dialog with `title` and what `fill(close)` gives; the promise ends with what `close` was given.
export function ask(title, fill, { kind = "" } = {}) {
  return new Promise((resolve) => {
    const box = el("dialog", { class: `ask ${kind}`, "aria-label": title });
    let answer = null;
    const close = (value = null) => {
      answer = value;
      box.close();
    };
    box.addEventListener("close", () => {
      box.remove();
      resolve(answer);
    });
    box.append(
      el("header", {}, el("h2", {}, title), button("✕", () => close(), { kind: "close", key: "close", more: el("span", { class: "unseen" }, t("close")) })),
      ...[fill(close)].flat().filter(Boolean),
    );
    document.body.append(box);
    box.showModal();
  });
}

export function askCard(title) {
  return ask(
    title,
    (close) =>
      el(
        "div",
        { class: "keypad cards" },
        [...SUITS].map((suit) =>
          [...RANKS].map((rank) =>
            button(`${rankOf(rank + suit)}${suitOf(rank + suit)}`, () => close(rank + suit), { kind: `suit-${suit}`, key: rank + suit }),
          ),
        ),
      ),
    { kind: "wide" },
  );
}

export function askNumber(title, most = 104) {
  return ask(title, (close) => {
    const shown = el("output", { class: "number" }, "0");
    const press = (digit) => {
      const next = Number(`${shown.textContent}${digit}`);
      if (next <= most) shown.textContent = String(next);
    };
    return [
      shown,
      el(
        "div",
        { class: "keypad numbers" },
        [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => button(String(digit), () => press(digit))),
        button("⌫", () => (shown.textContent = "0"), { more: el("span", { class: "unseen" }, t("erase")) }),
        button("0", () => press(0)),
        button(t("enter"), () => close(Number(shown.textContent)), { kind: "main" }),
      ),
    ];
  });
}

// An amount in whole dollars, given back in cents; 0 stands for none.
export async function askMoney(title) {
  const dollars = await askNumber(`${title} ($)`, 1000000);
  return dollars === null ? null : dollars * 100;
}

// A reason: one of the usual ones at a touch, or one's own words.
export function reasons(keys, chosen) {
  const field = el("input", { type: "text", maxlength: "200", "aria-label": t("reason.own"), placeholder: t("reason.own"), "data-key": "reason" });
  const group = el("div", { class: "reasons", role: "group", "aria-label": t("reason") });
  const mark = () => {
    for (const each of group.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each.value === field.value));
    chosen(field.value);
  };
  for (const key of keys) {
    const words = t(`reason.${key}`);
    const each = button(words, () => { field.value = words; mark(); }, { kind: "choice" });
    each.value = words;
    group.append(each);
  }
  field.addEventListener("input", mark);
  group.append(field);
  return group;
}
