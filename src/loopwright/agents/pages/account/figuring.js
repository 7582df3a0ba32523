// Change one field after the other, and tell which of them change a text that the page shows, and what texts these are.
async () => {
  addEventListener("submit", (event) => event.preventDefault()); // after the page's own scripts: nothing is left for elsewhere
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const all = [...document.querySelectorAll("input,select")].filter((el) => seen(el) && !el.disabled && !el.matches("[type=hidden],[type=checkbox],[type=submit],[type=button],[type=file]"));
  const radios = new Map();
  const fields = [];
  for (const el of all) {
    if (el.type !== "radio") fields.push([el]);
    else if (radios.has(el.name)) radios.get(el.name).push(el);
    else { radios.set(el.name, [el]); fields.push(radios.get(el.name)); }
  }
  const labelOf = (el) => [el.getAttribute("aria-label"), ...[...(el.labels || [])].map((label) => [...label.childNodes].filter((node) => !(node.nodeType === 1 && node.matches("input,select"))).map((node) => node.textContent).join(" ")), el.getAttribute("placeholder")].filter(Boolean).join(" ");
  const nameOf = (field) => words([labelOf(field[0]), field.length > 1 ? field[0].closest("fieldset")?.querySelector("legend")?.innerText : ""].join(" "));
  const optionsOf = (field) => field.length > 1 ? field.map((el) => words(labelOf(el))) : [...(field[0].options || [])].map((option) => words(option.text));
  const set = (field, step) => {
    if (field.length > 1) field[Math.min(step, field.length - 1)].checked = true;
    else if (field[0].matches("select")) field[0].selectedIndex = Math.min(step, field[0].options.length - 1);
    else field[0].value = step ? "24" : "6";
    field[0].dispatchEvent(new Event("input", { bubbles: true }));
    field[0].dispatchEvent(new Event("change", { bubbles: true }));
  };
  const send = async (field) => {
    field[0].form?.querySelector("button:not([type=button]):not([type=reset]),input[type=submit]")?.click();
    await new Promise((done) => setTimeout(done, 40));
  };
  const told = () => [...document.body.querySelectorAll("*")].filter((el) => !el.matches("script,style,option,select,input") && seen(el) && [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((el) => [el, el.innerText]);
  for (const field of fields) set(field, 0);
  for (const field of fields.slice(0, 8)) await send(field);
  const found = [], answers = new Set();
  for (const field of fields.slice(0, 8)) {
    const before = told();
    set(field, 1);
    await send(field);
    const after = told();
    const changed = before.length === after.length ? after.filter(([el, text], at) => el === before[at][0] && text !== before[at][1] && /\d/.test(text)) : [];
    changed.forEach(([el]) => answers.add(words([el.closest("section")?.querySelector("h1,h2,h3")?.innerText, (el.closest("p,li,tr,dd,h2,h3") || el.parentElement).innerText].join(" "))));
    found.push({ name: nameOf(field), options: optionsOf(field), counts: changed.length > 0 });
    set(field, 0);
    await send(field);
  }
  return { fields: found, answers: [...answers] };
}
