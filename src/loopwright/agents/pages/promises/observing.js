// What of a page a promise can speak of: stored keys, and what is seen of the elements that have a lasting name.
() => {
  const found = { storage: {}, elements: {}, path: location.pathname };
  for (let i = 0; i < Math.min(localStorage.length, 50); i += 1) {
    const key = localStorage.key(i);
    found.storage[key] = (localStorage.getItem(key) || "").slice(0, 500);
  }
  const plain = /^[A-Za-z_][\w-]{0,60}$/;
  const names = new Map();
  const nodes = [...document.body.querySelectorAll("*")].slice(0, 4000);
  const selectors = (node) => {
    const list = plain.test(node.id) ? ["#" + node.id] : [];
    for (const { name, value } of node.attributes) {
      if (name.startsWith("data-") && plain.test(name) && value && value.length < 60 && !/["\\\n\]]/.test(value)) {
        list.push(`[${name}="${value}"]`);
      }
    }
    return list;
  };
  for (const node of nodes) {
    for (const selector of selectors(node)) names.set(selector, (names.get(selector) || []).concat(node));
  }
  for (const [selector, bearers] of names) {
    if (bearers.length !== 1) continue;
    const node = bearers[0];
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    const states = {};
    for (const name of ["aria-pressed", "aria-expanded", "aria-checked", "aria-selected", "open", "disabled"]) {
      if (node.hasAttribute(name)) states[name] = node.getAttribute(name);
    }
    found.elements[selector] = {
      seen: box.width > 0 && box.height > 0 && style.visibility === "visible",
      text: node.children.length ? null : (node.innerText || "").trim().slice(0, 200),
      classes: [...node.classList].filter((name) => plain.test(name)),
      states,
    };
  }
  return found;
}
