// SPDX-License-Identifier: Apache-2.0
// el("div", {class: "card"}, child, "text"): the only way this page makes elements, so that no text becomes markup.

type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: any) => void)>;

function fill(node: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(node, attributes, children);
  return node;
}

// A button that is in or out.
export function toggle(text: string, pressed: boolean, changed: (pressed: boolean) => void): HTMLButtonElement {
  const button = el(
    "button",
    {
      type: "button",
      "aria-pressed": String(pressed),
      onclick: () => {
        const now = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(now));
        changed(now);
      },
    },
    text,
  );
  return button;
}

// What is wider than its place can be moved sideways, by touch and by keys; shadows show that there is more.
export function scrollBox(label: string, ...children: Child[]): HTMLElement {
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
}

export function card(id: string, title: string, hint: string, tools: Child[], ...children: Child[]): HTMLElement {
  return el(
    "section",
    { class: "card", id, "aria-labelledby": `${id}-title` },
    el(
      "header",
      {},
      el("h2", { id: `${id}-title` }, title),
      el("p", { class: "hint" }, hint),
      el("div", { class: "tools" }, ...tools),
    ),
    ...children,
  );
}
