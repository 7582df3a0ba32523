// Press one control as a person would, and leave open a form that is not known yet; tell what came of it: a form that opened, or something that is shown or kept.
async ([at, known]) => {
  const seen = (el) => {
    const box = el.getBoundingClientRect();
    return el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })
      && box.width > 2 && box.height > 2 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
  };
  const CONTROL = "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button]";
  const el = [...document.body.querySelectorAll(CONTROL)].filter((each) => !each.closest("script,style,template,noscript,option") && seen(each))[at];
  if (!el || el.disabled) return { opens: -1, changes: false };
  window.confirm = () => true;
  const shown = () => document.body.innerText + JSON.stringify({ ...localStorage }) + el.getAttribute("aria-pressed") + el.getAttribute("aria-expanded");
  const before = shown();
  const closed = new Set([...document.forms].filter((form) => !form.checkVisibility()));
  const sends = el.matches("button:not([type=button]):not([type=reset])") && [...(el.form?.elements || [])].some((each) => each.matches("input:not([type=hidden]),select,textarea"));
  if (sends) return { opens: -1, changes: false }; // its form is filled in and sent by itself
  if (el.matches("input,textarea,select")) {
    if (el.form?.querySelector("button:not([type=button]),input[type=submit]")) return { opens: -1, changes: false };
    if (el.matches("select")) el.selectedIndex = el.options.length - 1;
    else el.value = { number: "7", date: "2031-05-17", time: "10:30" }[el.type] ?? "Qzprobe";
    for (const name of ["input", "change"]) el.dispatchEvent(new Event(name, { bubbles: true }));
  } else el.click();
  await new Promise((done) => setTimeout(done, 20));
  const opens = [...document.forms].findIndex((form) => closed.has(form) && form.checkVisibility());
  const changes = shown() !== before;
  if (known.includes(opens)) document.querySelectorAll("dialog[open]").forEach((each) => each.close());
  return { opens, changes };
}
