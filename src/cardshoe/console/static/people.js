// Signing in, and the second person.

import { button, el } from "./dom.js";
import { ask, tell } from "./dialog.js";
import { get, post, renew, who } from "./net.js";
import { t } from "./texts.js";

function form(title, path, told) {
  return ask(title, (close) => {
    const name = el("input", { type: "text", autocomplete: "off", maxlength: "100", "aria-label": t("name"), placeholder: t("name"), "data-key": "name" });
    const pin = el("input", { type: "password", inputmode: "numeric", autocomplete: "off", maxlength: "100", "aria-label": t("pin"), placeholder: t("pin"), "data-key": "pin" });
    const trouble = el("p", { class: "trouble", role: "alert" });
    const send = async () => {
      const answer = await post(path, { name: name.value, pin: pin.value });
      pin.value = "";
      if (answer.ok) close(true);
      else trouble.textContent = answer.error.text;
    };
    pin.addEventListener("keydown", (event) => event.key === "Enter" && send());
    const digits = el(
      "div",
      { class: "keypad numbers" },
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => button(String(digit), () => (pin.value += digit))),
      button("⌫", () => (pin.value = "")),
      button("0", () => (pin.value += "0")),
      button(t("enter"), send, { kind: "main", key: "send" }),
    );
    return [told ? el("p", {}, told) : null, el("div", { class: "sign" }, name, pin, trouble), digits];
  });
}

export const signIn = () => form(t("sign.in"), "/api/sign-in");
export const signOut = () => post("/api/sign-out");
export const second = () => {
  const waiting = who().waiting;
  const roles = waiting ? waiting.roles.map((role) => t(`role.${role}`)).join(" / ") : "";
  return form(t("second.title"), "/api/second", waiting ? t("second.why", { what: waiting.what, roles }) : "");
};

// Do something that the table may want a name for, or a second one; say why where it is refused.
export async function carried(operation, send) {
  let answer = await send(operation);
  if (!answer.ok && answer.error.code === "sign-in-needed" && (await signIn())) answer = await send(operation);
  if (!answer.ok && answer.error.code === "second-person-due") {
    await renew();
    return Boolean(await second());
  }
  if (!answer.ok) tell(answer.error);
  return answer.ok ? answer.data : false;
}

// Ask for something that only some may see: whoever is not signed in is asked for a name first.
export async function read(path) {
  let answer = await get(path);
  if (!answer.ok && answer.error.code === "sign-in-needed" && (await signIn())) answer = await get(path);
  return answer;
}

// The role that acts: on a bench the page says it, with people the table knows it.
export const acting = (role) => (who().people ? "" : role);
