// Tries the forms or the lists of the page: what can be typed, what is needed, what is sent, deleted, and seen then.
async (what) => {
  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const wait = () => new Promise((done) => setTimeout(done, 16));
  const MOST = 3, main = document.querySelector("main") || document.body;
  const headOf = (el) => {
    const part = el.closest("section, article, dialog, main") || main;
    return [part, main].map((each) => words(each.querySelector("h1, h2, h3")?.textContent)).find(Boolean)
      || words(document.querySelector("h1")?.textContent);
  };
  const controlsOf = (form) => [...form.querySelectorAll("input:not([type=hidden]):not([type=submit]):not([type=button]), select, textarea")].filter(seen);
  const nameOf = (field) => words(field.labels?.[0]?.innerText || field.getAttribute("aria-label") || field.placeholder);
  const typeOf = (field) => (field.tagName === "INPUT" ? field.type : field.tagName.toLowerCase());
  const rowsOf = () => [...main.querySelectorAll("li, tbody tr, article")].filter((el) => seen(el) && words(el.innerText) && !el.closest("nav"));
  const samples = { tel: "0555 0177", email: "qx@example.com", number: "713", date: "2031-03-09", time: "07:31", url: "https://example.com/" };
  const shows = { date: ["2031"], time: ["07:31", "7:31"] };
  const type = (field, at) => {
    const kind = typeOf(field);
    if (kind === "checkbox" || kind === "radio") { field.checked = true; return ""; }
    if (kind === "file") return "";
    if (kind === "select") { field.selectedIndex = field.options.length - 1; return words(field.options[field.selectedIndex]?.text); }
    field.value = samples[kind] || `Qx${String.fromCharCode(97 + at)}vv`;
    return field.value;
  };
  const state = () => [rowsOf().length, ...[...main.querySelectorAll("[role=status], [aria-live], output")].map((el) => words(el.innerText)), ...[...main.querySelectorAll("form")].map((el) => String(seen(el)))].join("|");
  const listsTried = async () => {
    const asked = [];
    window.confirm = (text) => { asked.push(text); return true; };
    const lists = [];
    for (const list of [...main.querySelectorAll("ul, ol, tbody")].filter(seen).slice(0, MOST)) {
      const rows = () => [...list.children].filter(seen);
      const buttons = (row) => [...row.querySelectorAll("button")].filter(seen);
      if (!rows().length || !buttons(rows()[0]).length) continue;
      const told = { head: words(headOf(list)), goes: false, asks: "", stays: true, empty: "" };
      for (let at = buttons(rows()[0]).length - 1; at >= 0 && at >= buttons(rows()[0]).length - 2; at -= 1) {
        const press = async (sure) => {
          buttons(rows()[0])[at]?.click();
          await wait();
          const question = [...document.querySelectorAll("dialog[open], [role=alertdialog]")].filter(seen).at(-1);
          if (!question || controlsOf(question).length) { if (question?.open) question.close(); return ""; }
          const said = words(question.innerText), choices = [...question.querySelectorAll("button")].filter(seen);
          (sure ? choices.at(-1) : choices[0])?.click();
          await wait();
          return said;
        };
        const count = rows().length, first = words(rows()[0].innerText);
        asked.length = 0;
        const said = await press(false);
        if (said) { told.stays = rows().length === count && words(rows()[0].innerText) === first; await press(true); }
        if (rows().length === count && words(rows()[0]?.innerText) === first) continue;
        told.goes = true;
        told.asks = said || asked[0] || "";
        for (let more = 0; more < 40 && rows().length && buttons(rows()[0]).length; more += 1) await press(true);
        if (!rows().length || !buttons(rows()[0]).length) told.empty = words(list.innerText) || words(list.parentElement?.innerText);
        break;
      }
      lists.push(told);
    }
    return lists;
  };
  if (what === "lists") return await listsTried();
  const openers = [...main.querySelectorAll("button[aria-haspopup=dialog]")].filter(seen).slice(0, MOST);
  const tries = [...main.querySelectorAll("form")].filter(seen).filter((form) => !form.querySelector("[type=search]"))
    .map((form) => ({ form, open: () => {} }));
  for (const button of openers) tries.push({ open: () => button.click(), at: button });
  const forms = [];
  for (const each of tries.slice(0, MOST)) {
    each.open();
    await wait();
    const form = each.form || document.querySelector("dialog[open] form");
    if (!form || !seen(form)) continue;
    const around = form.closest("dialog");
    const submit = form.querySelector("[type=submit], button:not([type])");
    const fields = controlsOf(form);
    const told = { head: words(headOf(each.at || form)), button: words(submit?.innerText || submit?.value), sent: false, kept: [], needed: [],
      fields: fields.map((f) => ({ label: nameOf(f), type: typeOf(f), value: f.type === "checkbox" ? "" : f.value, options: f.tagName === "SELECT" ? [...f.options].map((o) => words(o.text)) : [] })) };
    const close = () => { if (around?.open) around.close(); };
    const send = async (without) => {
      close();
      const text = main.innerText;
      if (around && !around.open) { each.open(); await wait(); }
      const typed = fields.map((field, at) => {
        if (at !== without) return type(field, at);
        if (field.type === "checkbox" || field.type === "radio") field.checked = false; else if (field.tagName !== "SELECT" && field.type !== "file") field.value = "";
        return "";
      });
      const before = state();
      submit.click();
      await wait();
      const open = around?.open;
      const done = state() !== before && !open;
      close();
      return { typed, done, text };
    };
    if (submit && fields.length) {
      for (let at = 0; at < fields.length; at += 1) {
        if (["checkbox", "radio", "select-one", "file"].includes(fields[at].type)) continue;
        if (!(await send(at)).done) told.needed.push(told.fields[at].label);
        if (!seen(form) && !around) break;
      }
      if (around || seen(form)) {
        const { typed, done, text } = await send(-1);
        told.sent = done;
        const count = (where, what) => where.split(what).length - 1;
        told.kept = told.fields.filter((f, at) => typed[at] && (shows[f.type] || [typed[at]]).some((v) => count(main.innerText, v) > count(text, v))).map((f) => f.label);
      }
    }
    close();
    forms.push(told);
  }
  return forms;
}
