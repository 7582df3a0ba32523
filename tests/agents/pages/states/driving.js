// Drives a page through the states that its script reaches: what can be tapped, what is seen, what is new.
window.driving = (() => {
  const CONTROLS = "button, summary, select, [role=tab], [role=switch], input[type=checkbox], input[type=radio], " +
    "input[type=range], label:has(input), [data-step], [data-filter]";
  const STATES = ["aria-pressed", "aria-selected", "aria-current", "aria-checked", "aria-invalid", "aria-disabled",
    "aria-expanded", "aria-busy", "data-state", "disabled", "open"];
  const known = new Set(), tapped = new Set();
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });

  // An element by what decides its colours: its tag, classes, states and own colours, and those of all around it.
  function looksOf(element, kept) {
    if (!element || element === document.documentElement) { return ""; }
    if (!kept.has(element)) {
      const states = STATES.filter((name) => element.hasAttribute(name)).map((name) => name + element.getAttribute(name));
      const own = (element.getAttribute("style") || "").match(/(?:color|background|opacity)[^;]*/g) || [];
      const look = [element.localName, [...element.classList].sort().join("."), ...states, ...own,
        element.checked ? "checked" : ""].join(" ");
      kept.set(element, looksOf(element.parentElement, kept) + ">" + look);
    }
    return kept.get(element);
  }

  // The elements with text that look like none before them; from then on their looks are known.
  function fresh() {
    const kept = new Map(), found = [];
    for (const element of document.body.querySelectorAll("*")) {
      const says = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ||
        element.matches("input, select, textarea");
      if (!says || !isSeen(element)) { continue; }
      const look = looksOf(element, kept);
      if (!known.has(look)) { known.add(look); found.push(element); }
    }
    return found;
  }

  function nameOf(control) {
    const place = control.closest("li, section, dialog, form, nav, header");
    return [control.localName, control.id, control.className, control.textContent.trim().slice(0, 40),
      control.getAttribute("aria-label"), JSON.stringify(control.dataset), place ? place.id || place.className : ""].join("|");
  }

  function fill(form) {
    for (const field of form.querySelectorAll("input, textarea")) {
      if (field.value || ["checkbox", "radio", "range", "hidden", "file"].includes(field.type)) { continue; }
      const day = new Date().toISOString().slice(0, 10);
      field.value = { email: "a@b.example", tel: "+49 30 123456", number: "42", date: day, time: "12:30",
        url: "https://example.com", search: "zzz" }[field.type] || "Something";
      for (const name of ["input", "change"]) { field.dispatchEvent(new Event(name, { bubbles: true })); }
    }
  }

  function act(control) {
    if (control.localName === "select") { control.selectedIndex = control.options.length - 1; }
    if (control.type === "range") { control.value = control.max || "100"; }
    if (control.localName === "select" || control.type === "range") {
      for (const name of ["input", "change"]) { control.dispatchEvent(new Event(name, { bubbles: true })); }
    } else { control.click(); }
  }

  // Taps the next control that was not tapped yet, in the dialog on top where one is open; null when none is left.
  function tap() {
    for (let round = 0; round < 8; round += 1) {
      const dialog = [...document.querySelectorAll("dialog[open]")].pop();
      const control = [...(dialog || document.body).querySelectorAll(CONTROLS)]
        .find((each) => isSeen(each) && !each.disabled && !each.closest("a[href]") && !tapped.has(nameOf(each)));
      if (control) {
        const name = nameOf(control), sends = control.form && control.type === "submit";
        // A form is sent empty first, then filled in.
        if (sends && !tapped.has(name + "|empty")) { tapped.add(name + "|empty"); } else { tapped.add(name); }
        if (sends && tapped.has(name)) { fill(control.form); }
        act(control);
        return name;
      }
      if (!dialog) { return null; }
      dialog.close();
    }
    return null;
  }

  // Big figures are drawn with an outline alone.
  function isOutlined(node) {
    return parseFloat(getComputedStyle(document.querySelector(node.target.flat().join(" "))).webkitTextStrokeWidth) > 0;
  }

  async function measure(options) {
    const found = fresh(), scheme = document.documentElement.getAttribute("data-mode");
    const shown = getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "dark" : "light";
    const faint = [];
    if (!found.length) { return faint; }
    for (const mode of [shown, shown === "dark" ? "light" : "dark"]) {
      document.documentElement.setAttribute("data-mode", mode);
      const said = await axe.run({ include: found }, options);
      // Text of the very colour of its ground is "incomplete" to axe-core: it might be hidden that way on purpose.
      const same = said.incomplete.flatMap((rule) => rule.nodes)
        .filter((node) => node.any.some((check) => check.data?.messageKey === "equalRatio") && !isOutlined(node));
      for (const node of [...said.violations.flatMap((rule) => rule.nodes), ...same]) {
        const all = [...node.any, ...node.all, ...node.none].map((check) => check.message);
        faint.push(`${mode}: ${node.target.flat().join(" ")}: ${all.join("; ")}`);
      }
    }
    if (scheme === null) { document.documentElement.removeAttribute("data-mode"); }
    else { document.documentElement.setAttribute("data-mode", scheme); }
    return faint;
  }

  return {
    tap, measure,
    remembered: () => ({ known: [...known], tapped: [...tapped] }),
    remember: (past) => { past.known.forEach((each) => known.add(each)); past.tapped.forEach((each) => tapped.add(each)); },
  };
})();
