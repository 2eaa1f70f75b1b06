// What may be wagered: shown to everybody, set by the floor between rounds.

import { ask, askMoney, reasons } from "./dialog.js";
import { button, el, renewed } from "./dom.js";
import { acting } from "./people.js";
import { money, spotName, t } from "./texts.js";

// The floor's own limits, where they are for the game that is dealt.
const own = (facts, state) => (state.limits.game === facts.game ? state.limits : { minimum_cents: {}, maximum_cents: {} });

const laidDown = (facts) => facts.spots.filter((one) => one.placed !== "decision");

const range = (least, most) => (most ? t("limits.range", { least: money(least), most: money(most) }) : t("limits.from", { least: money(least) }));

// "ANTE $5 – $500" for the spot that everybody wagers on; "" where it has no limit.
export function limitsShown(facts, state) {
  const spot = laidDown(facts).find((one) => one.placed === "required") || laidDown(facts)[0];
  const { minimum_cents: minimum, maximum_cents: maximum } = own(facts, state);
  const least = Math.max(minimum[spot.name] ?? 0, spot.least_cents);
  return least > 1 || maximum[spot.name] ? `${spotName(spot.name)} ${range(least, maximum[spot.name])}` : "";
}

export async function setLimits(facts, state, give) {
  const minimum = { ...own(facts, state).minimum_cents };
  const maximum = { ...own(facts, state).maximum_cents };
  let why = "";
  const sure = await ask(t("limits.title"), (close) => {
    const list = el("div", { class: "limits" });
    const change = async (limits, name, title) => {
      const cents = await askMoney(title);
      if (cents === null) return;
      if (cents) limits[name] = cents;
      else delete limits[name];
      draw();
    };
    const row = (spot) => {
      const least = minimum[spot.name] ?? spot.least_cents;
      const most = maximum[spot.name];
      return [
        el("b", {}, spotName(spot.name)),
        button(least > 1 ? t("limits.least", { least: money(least) }) : t("limits.least.none"), () => change(minimum, spot.name, t("limits.least.ask", { spot: spotName(spot.name) })), { key: `least-${spot.name}` }),
        button(most ? t("limits.most", { most: money(most) }) : t("limits.most.none"), () => change(maximum, spot.name, t("limits.most.ask", { spot: spotName(spot.name) })), { key: `most-${spot.name}` }),
      ];
    };
    const draw = () => renewed(list, laidDown(facts).map(row));
    draw();
    const go = button(t("limits.set"), () => close(true), { kind: "main", key: "limits-set", disabled: true });
    const plain = button(t("limits.plain"), () => {
      for (const limits of [minimum, maximum]) for (const name of Object.keys(limits)) delete limits[name];
      draw();
    }, { key: "limits-plain" });
    const chosen = (reason) => {
      why = reason.trim();
      go.disabled = !why;
    };
    return [el("p", {}, t("limits.why")), list, reasons(["limits.busy", "limits.quiet", "limits.player"], chosen), el("div", { class: "row" }, go, plain)];
  }, { kind: "wide" });
  if (sure) await give({ op: "set_limits", minimum_wager: minimum, maximum_wager: maximum, role: acting("floor"), reason: why });
}
