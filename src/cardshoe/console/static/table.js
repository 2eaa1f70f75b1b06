// The table, drawn: positions in an arc, spots, cards, board, dealer, shoe, tray, cover card, discard rack.
// Only what the state says is drawn; what is hidden is a back, and nothing of it is here.

import { svg, tappable } from "./dom.js";
import { BOARD, CARD, DEALER, HEIGHT, RACK, SHOE, STEP, WIDTH, seat, spotAt, spotPlaces } from "./layout.js";
import { action, cardName, categoryName, money, outcomeName, place, rankOf, signed, spotName, suitOf, t } from "./texts.js";

const text = (x, y, kind, ...words) => svg("text", { x, y, class: kind, "text-anchor": "middle" }, ...words);

export function card(face, x, y, scale = 1) {
  const w = CARD.width * scale;
  const h = CARD.height * scale;
  const group = svg("g", { transform: `translate(${x} ${y})` });
  if (!face) {
    group.append(svg("rect", { width: w, height: h, rx: 4, class: "back" }));
    group.append(svg("path", { class: "weave", d: `M4 4 L${w - 4} ${h - 4} M${w - 4} 4 L4 ${h - 4}` }));
    return group;
  }
  group.setAttribute("class", `face suit-${face[1]}`);
  group.append(svg("rect", { width: w, height: h, rx: 4 }));
  group.append(svg("title", {}, cardName(face)));
  group.append(text(w / 2, h * 0.47, scale < 0.9 ? "rank small" : "rank", rankOf(face)));
  group.append(text(w / 2, h * 0.9, scale < 0.9 ? "suit small" : "suit", suitOf(face)));
  return group;
}

function row(faces, cards, x, y, { scale = 1, gap = 4, places = 0 } = {}) {
  const w = CARD.width * scale + gap;
  const all = Math.max(cards, faces.length);
  const shown = Math.max(all, places);
  const left = x - (shown * w - gap) / 2;
  const group = svg("g", {});
  for (let n = 0; n < shown; n += 1) {
    const at = left + n * w;
    if (n < all) group.append(card(faces[n], at, y, scale));
    else group.append(svg("rect", { x: at, y, width: w - gap, height: CARD.height * scale, rx: 4, class: "slot" }));
  }
  return group;
}

function badge(x, y, label, kind) {
  return svg("g", { class: `badge ${kind}` }, svg("circle", { cx: x, cy: y, r: 14 }), text(x, y + 5.5, "number", label));
}

function spot(facts, each, name, at, tap) {
  const cents = each.wagers[name] || 0;
  const result = (each.results || []).find((one) => one.spot === name);
  const kind = facts.spots.find((one) => one.name === name);
  const half = STEP / 2;
  const group = svg("g", { class: `spot ${kind ? kind.placed : ""} ${cents ? "has" : ""} ${result ? result.outcome : ""}` });
  group.append(svg("rect", { x: at.x - half, y: at.y - half, width: STEP, height: STEP, class: "hit" }));
  group.append(svg("rect", { x: at.x - half + 1.5, y: at.y - half + 1.5, width: STEP - 3, height: STEP - 3, rx: kind && kind.placed === "required" ? 15 : 6 }));
  const label = spotName(name);
  group.append(text(at.x, at.y + (cents ? -7 : 4), label.length > 5 ? "label long" : "label", label));
  if (cents) group.append(text(at.x, at.y + 8, "cents", money(cents)));
  if (result) {
    const won = result.outcome === "win" ? signed(result.won_cents) : outcomeName(result.outcome);
    group.append(text(at.x, at.y + 18.5, "outcome", won));
  }
  const said = `${place(each.position)}, ${label}${cents ? `, ${money(cents)}` : ""}`;
  if (tap) tappable(group, said, () => tap(each, name), `spot-${each.position}-${name}`);
  return group;
}

function position(facts, state, each, marks, taps) {
  const { x, y } = seat(each.position);
  const turn = marks.turn.includes(each.position);
  const group = svg("g", { class: `position ${each.status} ${turn ? "turn" : ""} ${each.player ? "seated" : "free"}` });
  group.append(svg("rect", { x: x - 65.5, y: y - 1, width: 131, height: 191, rx: 9, class: "area" }));
  if (turn) group.append(svg("path", { class: "pointer", d: `M${x - 14} ${y + 189} h28 l-14 -11 z` }));
  const head = svg("g", { class: "head" }, svg("rect", { x: x - 65, y, width: 130, height: STEP - 4, class: "hit" }));
  head.append(badge(x - 48, y + 20, each.position, turn ? "on" : ""));
  if (each.cards || each.faces.length) {
    const many = Math.max(each.cards, each.faces.length);
    head.append(row(each.faces, each.cards, x + 13, y, { scale: 0.78, gap: many > 2 ? 1.5 : 4 }));
  } else {
    head.append(text(x + 14, y + 25, "player", each.player ? short(each.player) : t("seat.free")));
  }
  if (taps.seat) tappable(head, `${place(each.position)} ${each.player || t("seat.free")}`, () => taps.seat(each), `seat-${each.position}`);
  group.append(head);
  const places = spotPlaces(facts.game, facts.spots);
  for (const [name, at] of Object.entries(places)) {
    const where = spotAt(each.position, at);
    if (name === "equals") group.append(text(where.x, where.y + 6, "equals", "="));
    else group.append(spot(facts, each, name, where, taps.spot));
  }
  group.append(fate(each, x, y));
  return group;
}

const short = (name) => (name.length > 11 ? `${name.slice(0, 10)}…` : name);

// What became of the hand, in words: never by colour alone.
function fate(each, x, y) {
  const lines = [];
  if (each.status === "folded") lines.push(t("status.folded"));
  if (each.status === "void") lines.push(t("status.void"));
  const last = each.decided[each.decided.length - 1];
  if (last && each.status === "live" && each.won_cents === null) lines.push(action(last));
  if (each.category && each.faces.length) lines.push(categoryName(each.category));
  if (each.won_cents) lines.push(signed(each.won_cents));
  if (!lines.length) return svg("g", {});
  const words = lines.join(" · ");
  const width = Math.min(128, 14 + words.length * 6.2);
  return svg(
    "g",
    { class: `fate ${each.status}` },
    svg("rect", { x: x - width / 2, y: y + 174, width, height: 15, rx: 7 }),
    text(x, y + 185.5, words.length > 18 ? "words long" : "words", words),
  );
}

function shoe(facts, state, marks) {
  const { x, y, width, height } = SHOE;
  const out = state.due.step === "load_deck" || state.due.step === "clear_gate";
  const group = svg("g", { class: `shoe ${state.shoe.up ? "up" : "down"} ${out ? "turn" : ""}` });
  group.append(svg("path", { class: "body", d: `M${x} ${y + 18} l${width - 34} -18 l34 44 v${height - 44} h${-width} z` }));
  group.append(svg("rect", { class: `gate ${marks.gate ? "full" : ""}`, x: x + width - 36, y: y + 40, width: 28, height: 40, rx: 3 }));
  if (marks.gate) group.append(text(x + width - 22, y + 66, "number", marks.gate));
  group.append(text(x + 48, y + 44, "title", t("shoe")));
  const [deck, left] = deckWords(state.shoe.deck);
  group.append(text(x + 48, y + 62, "words", facts.shoe ? (state.shoe.up ? deck : t("device.down")) : t("device.none")));
  if (state.shoe.up && left) group.append(text(x + 48, y + 78, "words", left));
  state.cover_cards.slice(0, 2).forEach((_slot, n) => {
    group.append(svg("rect", { class: "cover", x: x + 8 + n * 30, y: y + 86, width: 26, height: 9, rx: 2 }));
  });
  if (state.cover_cards.length || state.cover_card_in) group.append(text(x + width - 40, y + 95, "words", t("cover.in")));
  return group;
}

// "verified (deck 3, 40 cards)" in two lines.
function deckWords(deck) {
  const match = /^(\w+) \(deck (\d+)(?:, (\d+) cards)?\)$/.exec(deck);
  if (!match) return [deck, ""];
  return [t(`deck.${match[1]}`), match[3] === undefined ? "" : t("deck.left", { n: match[3] })];
}

function rack(state) {
  const { x, y, width, height } = RACK;
  return svg(
    "g",
    { class: "rack" },
    svg("path", { class: "body", d: `M${x} ${y} h${width} v${height} h${-width} z M${x + 10} ${y} v${height}` }),
    text(x + width / 2 + 5, y + 24, "title", t("rack")),
    text(x + width / 2 + 5, y + 46, "words", t("burned", { n: state.burned })),
    state.stub_removed ? text(x + width / 2 + 5, y + 64, "words", t("stub.out")) : null,
    state.method === "automated-shoe" || !state.cover_card_in ? null : text(x + width / 2 + 5, y + 82, "words", t("cover.in")),
  );
}

function tray() {
  const chips = Array.from({ length: 11 }, (_, n) =>
    svg("circle", { cx: 312 + n * 17.6, cy: 331, r: 7, class: `chip c${n % 4}` }),
  );
  return svg("g", { class: "tray" }, svg("rect", { x: 296, y: 321, width: 208, height: 20, rx: 6 }), chips);
}

function way(to, cards) {
  const from = { x: SHOE.x + SHOE.width - 8, y: SHOE.y + 58 };
  const end = to === "dealer" ? { x: DEALER.x - 46, y: DEALER.y + 26 } : { x: seat(to).x, y: seat(to).y + 194 };
  const bend = to === "dealer" ? { x: 250, y: 230 } : { x: (from.x + end.x) / 2, y: Math.max(end.y, from.y) - 30 };
  return svg(
    "g",
    { class: "way" },
    svg("path", { d: `M${from.x} ${from.y} Q${bend.x} ${bend.y} ${end.x} ${end.y}`, "marker-end": "url(#tip)" }),
    svg("title", {}, `${cards} → ${place(to)}`),
  );
}

// What is marked: whose turn it is, where a stack goes, what lies in the gate.
export function marks(state) {
  const due = state.due;
  const found = { turn: [], gate: 0, way: null, dealer: false, board: false };
  const to = due.to || due.position || due.place;
  if (due.step === "ask_decision") found.turn = due.positions;
  else if (["take_stack", "deal_card", "settle_hand", "collect_hand", "read_faces", "await_stack"].includes(due.step)) {
    if (to === "dealer") found.dealer = true;
    else if (to === "board") found.board = true;
    else if (to) found.turn = [to];
  }
  if (due.step === "take_stack") {
    found.gate = due.cards;
    found.way = to;
  }
  if (["deal_community", "turn_community"].includes(due.step)) found.board = true;
  if (due.step === "turn_dealer") found.dealer = true;
  if (state.alarm && state.alarm.who && /^[1-6]$/.test(state.alarm.who)) found.turn = [state.alarm.who];
  return found;
}

function felt() {
  const tip = svg("marker", { id: "tip", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 5, markerHeight: 5, orient: "auto" }, svg("path", { d: "M0 0 L10 5 L0 10 z" }));
  return svg("g", {}, svg("defs", {}, tip), svg("path", { class: "felt", d: `M0 ${HEIGHT} V26 Q0 0 60 0 H740 Q800 0 800 26 V${HEIGHT} z` }));
}

function board(facts, { faces, cards }, on) {
  if (!facts.board_cards) return svg("g", {});
  return svg(
    "g",
    { class: `board ${on ? "turn" : ""}` },
    svg("rect", { class: "area", x: BOARD.x - 118, y: BOARD.y - 4, width: 236, height: 58, rx: 8 }),
    row(faces, cards, BOARD.x, BOARD.y, { places: facts.board_cards, gap: 7 }),
  );
}

function dealer(facts, { faces, cards }, on) {
  if (!facts.dealer_hand) return svg("g", {});
  const width = facts.cards_each * 42 + 16;
  return svg(
    "g",
    { class: `dealer ${on ? "turn" : ""}` },
    svg("rect", { class: "area", x: DEALER.x - width / 2, y: DEALER.y - 5, width, height: 59, rx: 8 }),
    row(faces, cards, DEALER.x, DEALER.y, { places: facts.cards_each, gap: 6 }),
    text(DEALER.x + width / 2 + 34, DEALER.y + 30, "title", t("dealer")),
  );
}

// The parts of the drawing from the ground up: what each is made of, and how it is made.
function partsOf(facts, state, taps) {
  const on = marks(state);
  const seats = state.positions.length ? state.positions : facts.positions.map(nobody);
  const { shoe: machine, due, cover_cards: covers, cover_card_in: covered, burned, stub_removed: out } = state;
  return [
    ["", felt],
    ...seats.map((each) => [[each, on.turn.includes(each.position)], () => position(facts, state, each, on, taps)]),
    [[state.board, on.board], () => board(facts, state.board, on.board)],
    [[state.dealer, on.dealer], () => dealer(facts, state.dealer, on.dealer)],
    [[machine, due.step, on.gate, covers, covered], () => shoe(facts, state, on)],
    [[burned, out, covered], () => rack(state)],
    ["", tray],
    [[on.way, due.cards], () => (on.way ? way(on.way, due.cards) : svg("g", {}))],
  ];
}

// Show in `box` the table that `facts` tell of, as `state` has it; `taps`: what happens on a spot, on a seat (left out:
// nothing). What has not changed since the last time stays as it is. Returns the drawing.
export function showTable(box, facts, state, taps = {}) {
  const active = document.activeElement;
  const key = active && box.contains(active) ? active.getAttribute("data-key") : null;
  let drawing = box.firstElementChild;
  if (!drawing || !drawing.parts) {
    drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "table", role: "group" });
    drawing.parts = [];
    box.replaceChildren(drawing);
  }
  drawing.setAttribute("aria-label", `${facts.title}, ${t("round", { n: state.round })}`);
  partsOf(facts, state, taps).forEach(([inputs, make], n) => {
    const told = JSON.stringify(inputs);
    const old = drawing.parts[n];
    if (old && old.told === told) return;
    const node = make();
    if (old) old.node.replaceWith(node);
    else drawing.append(node);
    drawing.parts[n] = { told, node };
  });
  if (key && document.activeElement !== active) {
    const again = box.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (again) again.focus({ preventScroll: true });
  }
  return drawing;
}

const nobody = (number) => ({
  position: number, player: null, status: "empty", wagers: {}, decided: [], cards: 0, faces: [], won_cents: null,
  returned_cents: null, results: [], category: null,
});
