// All words on the screen, from one catalogue a language. What the table itself says comes in English and is looked up.

const FIRST = "en";
let catalogue = {};
let language = FIRST;

export const LANGUAGES = { en: "English", de: "Deutsch" };

export async function speak() {
  language = localStorage.getItem("language") || FIRST;
  if (!(language in LANGUAGES)) language = FIRST;
  const answer = await fetch(`/static/texts/${language}.json`);
  catalogue = await answer.json();
  document.documentElement.lang = language;
  return language;
}

export function speakIn(chosen) {
  localStorage.setItem("language", chosen);
  window.location.reload();
}

export const spoken = () => language;
export const has = (key) => key in catalogue;

export function t(key, values = {}) {
  const text = key in catalogue ? catalogue[key] : key;
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

// A sentence of the table, in this language where the catalogue has it: word for word, or with a {place} in it.
export function said(sentence) {
  if (has(`said.${sentence}`)) return t(`said.${sentence}`);
  for (const key of Object.keys(catalogue).filter((each) => each.startsWith("like."))) {
    const form = key.slice(5).split("{x}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const found = new RegExp(`^${form.join("(.+)")}$`).exec(sentence);
    if (found) return t(key, { x: placeSaid(found[1]) });
  }
  return sentence;
}

function placeSaid(words) {
  const number = /^position ([1-6])$/.exec(words);
  if (number) return place(number[1]);
  return { "the dealer": t("place.dealer"), "the board": t("place.board") }[words] || words;
}

export function money(cents) {
  const whole = cents % 100 === 0;
  return `${cents < 0 ? "−" : ""}$${(Math.abs(cents) / 100).toLocaleString("en-US", {
    minimumFractionDigits: whole ? 0 : 2,
    maximumFractionDigits: 2,
  })}`;
}

// A sentence of the table as people speak: amounts as money, places by their names.
export const plainly = (sentence) =>
  sentence
    .replace(/\b(\d+) cents\b/g, (_all, cents) => money(Number(cents)))
    .replace(/\b(minimum|maximum) of (\d+)\b/g, (_all, word, cents) => `${word} of ${money(Number(cents))}`)
    .replace(/\b(stack|cards?) for (dealer|[1-6])\b/g, (_all, word, to) => `${word} for ${place(to)}`)
    .replace(/\b(taken|moved) to (dealer|[1-6])\b/g, (_all, word, to) => `${word} to ${place(to)}`)
    .replace(/\b1 cards\b/g, "1 card");

export const signed = (cents) => `${cents < 0 ? "−" : "+"}${money(Math.abs(cents))}`;

export function place(to) {
  if (to === "dealer" || to === "board") return t(`place.${to}`);
  if (to === "" || to === "all") return t("place.table");
  return t("place.position", { n: to });
}

// "play 4x" as it is shown; with the amount where there is one ("flop 2000").
export function action(text) {
  const [word, rest] = text.split(" ");
  const name = has(`act.${word}`) ? t(`act.${word}`) : word;
  if (!rest) return name;
  if (/^\d+x$/.test(rest)) return `${name} ${rest.replace("x", "×")}`;
  return /^\d+$/.test(rest) ? `${name} ${money(Number(rest))}` : `${name} ${rest}`;
}

export const spotName = (name) => (has(`spot.${name}`) ? t(`spot.${name}`) : name);
export const outcomeName = (outcome) => t(`outcome.${outcome}`);
export const categoryName = (category) => (category ? t(`hand.${category}`) : "");

const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
export const rankOf = (card) => (card[0] === "T" ? "10" : card[0]);
export const suitOf = (card) => SUITS[card[1]] || "?";
export const cardName = (card) => `${rankOf(card)}${suitOf(card)}`;
