// Where each spot lies on the layout, as the dealer sees it: columns to the dealer's right, rows towards the dealer.
// The regulations speak as a player sees it; the dealer sits opposite, so right and left are exchanged here.

const PLACES = {
  // NY-5324.36(a)(2)(i): trips closest to the dealer, play farthest, ante between, blind to its right after an "=".
  "ultimate-texas-holdem": { play: [0, 0], blind: [-0.62, 1], ante: [0.62, 1], trips: [0, 2], equals: [0, 1] },
  // NY-5324.35(a)(2): flop, turn and river above the ante, bonus above and to the right of the flop.
  "texas-holdem-bonus": { ante: [0, 0], river: [-1, 1], turn: [0, 1], flop: [1, 1], bonus: [0.5, 2] },
  // NJ-69F-20.12A(a): the six-card bonus beside pair plus.
  "three-card-poker": { play: [0, 0], ante: [0, 1], pair_plus: [0.55, 2], six_card: [-0.55, 2] },
  "mississippi-stud": { ante: [0, 0], fifth: [-1, 1], fourth: [0, 1], third: [1, 1] },
};

export function spotPlaces(game, spots) {
  const known = PLACES[game];
  if (known) return known;
  return Object.fromEntries(spots.map((spot, n) => [spot.name, [(n % 3) - 1, Math.floor(n / 3)]]));
}

export const STEP = 44; // one spot, so that a finger finds it on 800 × 480
export const WIDTH = 800;
export const HEIGHT = 344;
const DROP = [24, 8, 0, 0, 8, 24];

// The middle and the upper edge of a position: 1 is farthest to the dealer's left.
export const seat = (position) => {
  const n = Number(position) - 1;
  return { x: 66.7 + 133.32 * n, y: 2 + DROP[n] };
};

export const spotAt = (position, [column, row]) => {
  const { x, y } = seat(position);
  return { x: x + column * STEP, y: y + 40 + row * STEP + STEP / 2 };
};

export const DEALER = { x: 400, y: 264 };
export const BOARD = { x: 400, y: 199 };
export const SHOE = { x: 12, y: 232, width: 132, height: 104 };
export const RACK = { x: 668, y: 246, width: 120, height: 90 };
export const CARD = { width: 36, height: 50 };
