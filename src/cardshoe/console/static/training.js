// Training is no play: while it lasts every page says so.

import { el } from "./dom.js";
import { t } from "./texts.js";

let mark = null;

export function markTraining(state) {
  if (!mark) {
    mark = el("aside", { class: "training-mark", hidden: true, role: "status" }, t("training.mark"));
    document.body.append(mark);
  }
  mark.hidden = !state.training;
  document.body.classList.toggle("training", state.training);
}
