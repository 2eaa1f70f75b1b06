// Elements, made short. Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of [children].flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

export const el = (name, attributes, ...children) => filled(document.createElement(name), attributes, children);
export const svg = (name, attributes, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

// A thing in a drawing that is tapped, or reached by keyboard, like a button.
export function tappable(node, label, act, key) {
  node.setAttribute("role", "button");
  node.setAttribute("tabindex", "0");
  node.setAttribute("aria-label", label);
  if (key) node.setAttribute("data-key", key);
  node.addEventListener("click", act);
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      act(event);
    }
  });
  return node;
}

export function button(label, act, { kind = "", key = "", disabled = false, more = null } = {}) {
  return el("button", { type: "button", class: kind, "data-key": key || null, onclick: act, disabled }, label, more);
}

// Put new children in the place of the old ones, and the keyboard's focus back where it was.
export function renewed(place, ...children) {
  const active = document.activeElement;
  const key = active && place.contains(active) ? active.getAttribute("data-key") : null;
  place.replaceChildren(...children.flat(3).filter((each) => each !== null && each !== undefined && each !== false));
  if (key) {
    const again = place.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (again) again.focus({ preventScroll: true });
  }
}
