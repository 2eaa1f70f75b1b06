// An alarm covers the screen: what happened, what to do now, who may clear it, and the lawful answers.

import { button, el, renewed } from "./dom.js";
import { reasons } from "./dialog.js";
import { operate, who } from "./net.js";
import { acting, carried } from "./people.js";
import { has, place, plainly, t } from "./texts.js";

const REASONS = ["looked", "counted", "jam", "device", "ruling"];
const AGAIN_MS = 700; // so long after its answer an alarm that still stands is one that came again
const ROLE = { dealer: "dealer", floor: "floor", two_people: "floor", technician: "technician", nobody_needed: "floor" };

// What an answer leads to, where that is more than that the round goes on; "" else.
function leadsTo(outcome) {
  if (!outcome || outcome === "goes-on") return "";
  if (outcome === "asks") return t("then.asks");
  const second = who().people ? ` ${t("then.second")}` : "";
  return `${outcome === "void-all" ? t("then.void_all") : t("then.void", { who: outcome.slice(5).split(" ").map(place).join(", ") })}${second}`;
}

// Keeps `place_` covered as long as the state holds an alarm. `folded`: the person looks at the table behind it.
export class AlarmCover {
  // `aid()`: a button for whoever may see to the machine from here (a demo), or null. `floor`: who reads it is the
  // floor, who is told what happened first, and not to be called.
  constructor(box, aid = () => null, { floor = false } = {}) {
    this.floor = floor;
    this.box = box;
    this.aid = aid;
    this.key = "";
    this.reason = "";
    this.folded = false;
    this.alarm = null;
    this.answered = ""; // the question that was answered last, in this round
    this.round = 0;
  }

  show(state) {
    const alarm = state.alarm;
    this.alarm = alarm;
    if (state.round !== this.round) this.answered = "";
    this.round = state.round;
    const key = alarm ? `${alarm.code}|${alarm.text}` : "";
    if (key === this.key) return;
    this.key = key;
    this.reason = "";
    this.folded = false;
    this.box.hidden = !alarm;
    this.box.className = "alarm";
    if (!alarm) {
      this.box.replaceChildren();
      return;
    }
    this.draw(alarm, key === this.answered);
  }

  // `again`: it was answered, and the table asks the same once more.
  draw(alarm, again = false) {
    const dealer = has(`alarm.${alarm.code}`) ? t(`alarm.${alarm.code}`) : alarm.told;
    const happened = plainly(alarm.text);
    const [told, more] = this.floor ? [happened.replace(" Call the floor.", ""), t("hold.dealer", { told: dealer })] : [dealer, happened];
    const role = ROLE[alarm.clears] || "floor";
    const choices = alarm.in_round ? alarm.choices : ["cleared"];
    const answers = el("div", { class: "answers" });
    const clearing = el(
      "div",
      { class: "clearing" },
      el("p", { class: "who" }, t("hold.who"), " ", el("b", {}, t(`clears.${alarm.clears}`))),
      reasons(REASONS, (reason) => {
        this.reason = reason;
        for (const each of answers.children) each.disabled = !reason.trim();
      }),
      answers,
    );
    for (const choice of choices) {
      const leads = leadsTo(alarm.outcomes[choice]);
      const why = [has(`choice.${choice}.why`) ? el("small", {}, t(`choice.${choice}.why`)) : null, leads ? el("small", { class: "then" }, leads) : null];
      answers.append(
        button(has(`choice.${choice}`) ? t(`choice.${choice}`) : choice, () => this.answer(alarm, choice, role), {
          kind: choice.startsWith("void") ? "answer void" : "answer",
          key: `answer-${choice}`,
          disabled: true,
          more: why,
        }),
      );
    }
    renewed(
      this.box,
      el(
        "header",
        {},
        el("span", { class: "sign", "aria-hidden": "true" }, "⚠"),
        el("h1", { role: "alert" }, told),
        button(t("hold.look"), () => this.fold(), { kind: "look", key: "look" }),
      ),
      el("p", { class: "text" }, more === told ? null : more, alarm.who && !happened.includes(place(alarm.who)) ? ` (${place(alarm.who)})` : null),
      again ? el("p", { class: "again" }, t("hold.again")) : null,
      el("p", { class: "code" }, alarm.code, alarm.cites ? ` · ${alarm.cites}` : null),
      this.aid(),
      clearing,
    );
  }

  fold() {
    this.folded = !this.folded;
    this.box.className = this.folded ? "alarm folded" : "alarm";
    const look = this.box.querySelector(".look");
    look.replaceChildren(t(this.folded ? "hold.back" : "hold.look"));
  }

  async answer(alarm, choice, role) {
    const operation = { op: "clear", code: alarm.code, role: acting(role), reason: this.reason };
    if (alarm.clears === "two_people") operation.second = acting("dealer");
    if (alarm.in_round) operation.choice = choice;
    for (const each of this.box.querySelectorAll("button")) each.disabled = true;
    const key = this.key;
    this.answered = key; // it may be asked again before the answer's own answer is here
    if (await carried(operation, operate)) {
      setTimeout(() => {
        if (this.alarm && this.key === key) this.draw(this.alarm, true);
      }, AGAIN_MS);
    } else {
      this.answered = "";
      for (const each of this.box.querySelectorAll("button")) each.disabled = false;
    }
  }
}
