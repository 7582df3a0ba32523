// Press one control as a person would, and leave open a form that is not known yet; tell what came of it: a form that opened, or something that is shown or kept.
async ([part, tag, name, known]) => {
  const seen = (el) => {
    const box = el.getBoundingClientRect();
    return el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })
      && box.width > 2 && box.height > 2 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
  };
  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const nameOf = (each) => words([each.getAttribute("aria-label"), ...[...(each.labels || [])].filter(seen).map((label) => label.innerText), each.getAttribute("placeholder"), each.matches("input,textarea,select") ? "" : each.innerText, each.matches("input[type=submit],input[type=button]") ? each.value : ""].join(" "));
  const parts = [...document.querySelectorAll("section")].filter((each) => seen(each) && !each.parentElement.closest("section"));
  const inside = part < 0 || !parts.length ? document.body : parts[part];
  const el = [...(inside?.querySelectorAll(tag) || [])].find((each) => seen(each) && (tag !== "button" || nameOf(each).split(":")[0] === name));
  if (!el || el.disabled) return { opens: -1, changes: false, fields: [] };
  window.confirm = () => true;
  for (const name of ["back", "forward", "go"]) history[name] = () => {};
  const shown = () => document.body.innerText + JSON.stringify({ ...localStorage }) + el.getAttribute("aria-pressed") + el.getAttribute("aria-expanded");
  const before = shown();
  const closed = new Set([...document.forms].filter((form) => !form.checkVisibility()));
  const sends = el.matches("button:not([type=button]):not([type=reset])") && [...(el.form?.elements || [])].some((each) => each.matches("input:not([type=hidden]),select,textarea"));
  if (sends) return { opens: -1, changes: false, fields: [] }; // its form is filled in and sent by itself
  if (el.matches("input,textarea,select")) {
    if (el.form?.querySelector("button:not([type=button]),input[type=submit]")) return { opens: -1, changes: false, fields: [] };
    if (el.matches("select")) el.selectedIndex = el.options.length - 1;
    else el.value = { number: "7", date: new Date().toLocaleDateString("sv"), time: "10:30" }[el.type] ?? "Qzprobe";
    for (const name of ["input", "change"]) el.dispatchEvent(new Event(name, { bubbles: true }));
  } else el.click();
  await new Promise((done) => setTimeout(done, 20));
  const opens = [...document.forms].findIndex((form) => closed.has(form) && form.checkVisibility());
  const changes = shown() !== before;
  const told = (each) => [each.getAttribute("aria-label"), ...[...(each.labels || [])].map((label) => label.innerText), ...[...(each.options || [])].map((option) => option.text)];
  const fields = [...(document.forms[opens]?.elements || [])].filter((each) => each.matches("input:not([type=hidden]),select,textarea") && each.checkVisibility()).map((each) => told(each).filter(Boolean).join(" ").replace(/\s+/g, " "));
  if (known.includes(opens)) document.querySelectorAll("dialog[open]").forEach((each) => each.close());
  return { opens, changes, fields };
}
