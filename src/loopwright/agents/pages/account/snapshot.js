// What a person sees of the page as it stands: texts, controls, forms and coloured areas. Nothing hidden is told.
() => {
  const GROUP = "section,article,form,table,dl,header,footer,nav,fieldset,main";
  const seen = (el) => {
    if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
    const box = el.getBoundingClientRect();
    return box.width > 2 && box.height > 2 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
  };
  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const groups = [];
  const groupOf = (el) => {
    const found = el.parentElement?.closest(GROUP) || document.body;
    const at = groups.indexOf(found);
    return at < 0 ? groups.push(found) - 1 : at;
  };
  const nameOf = (el) => words([
    el.getAttribute("aria-label"),
    ...[...(el.labels || [])].filter(seen).map((label) => label.innerText),
    el.getAttribute("placeholder"),
    el.matches("input,textarea,select") ? "" : el.innerText,
    el.matches("input[type=submit],input[type=button]") ? el.value : "",
  ].join(" "));
  const roleOf = (el) => {
    if (el === document.body || el === document.documentElement || el.matches("main,#app")) return "background";
    if (el.closest("button,input[type=submit],input[type=button],[role=button],a[class*=btn],a[class*=button]")) return "button";
    if (el.matches("header,header *")) return "header";
    if (el.matches("h1,h2,h3")) return "heading";
    return el.closest("a[href]") ? "link" : "other";
  };
  const CONTROL = "a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button]";
  const parts = [...document.querySelectorAll("section")].filter((el) => seen(el) && !el.parentElement.closest("section"));
  if (!parts.length) parts.push(document.querySelector("main") || document.body);
  const partOf = (el) => parts.findIndex((part) => part.contains(el));
  const ROW = "li,tr,dd,dt,p,label,article,figure,summary,h1,h2,h3,h4";
  const blocks = [], fills = [], controls = [], forms = [], rows = [];
  for (const el of document.body.querySelectorAll("*")) {
    if (el.closest("script,style,template,noscript,option") || !seen(el)) continue;
    const own = [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const style = getComputedStyle(el), box = el.getBoundingClientRect();
    if (own) {
      const heading = Boolean(el.closest("h1,h2,h3,legend,caption")), first = Boolean(el.closest("h1,header"));
      // A word in a row of labels, with nothing that it would be the label of: it names something and shows nothing.
      const bare = el.matches("span") && !el.closest("li,dt,dd,td,th,a,button,label,summary,h1,h2,h3,h4,figure,header") && el.parentElement.matches("p,div") && [...el.parentElement.childNodes].every((node) => node.nodeName === "SPAN" || !node.textContent.trim());
      blocks.push({ text: words(el.innerText), group: groupOf(el), heading, first, bare });
      if (["heading", "link"].includes(roleOf(el))) fills.push([roleOf(el), style.color, 1]);
    }
    if (el.matches("[role=img][aria-label]") || (el.matches("img[alt]") && el.alt)) {
      blocks.push({ text: words(el.getAttribute("aria-label") || el.alt), group: groupOf(el), heading: false, first: false, bare: false });
    }
    const picture = (style.backgroundImage.match(/rgba?\([^)]*\)/) || [])[0];
    fills.push([roleOf(el), picture || style.backgroundColor, Math.round(box.width * box.height)]);
    if (el.matches(CONTROL)) {
      const kind = el.matches("input") ? el.type : "";
      const options = [...(el.options || [])].map((option) => words(option.text)).filter(Boolean);
      controls.push({ name: nameOf(el), tag: el.tagName.toLowerCase(), target: el.getAttribute("href") || "", kind, options, part: partOf(el) });
    }
    const pair = el.matches("dt") && el.nextElementSibling?.matches("dd") ? ` ${el.nextElementSibling.innerText}` : "";
    const labels = el.matches("p") && el.children.length && [...el.childNodes].every((node) => node.nodeName === "SPAN" || !node.textContent.trim());
    if (el.matches(ROW) && !labels && !el.querySelector("li,tr,article")) rows.push(words(el.innerText + pair));
  }
  for (const el of [document.documentElement, document.body]) {
    fills.push(["background", getComputedStyle(el).backgroundColor, innerWidth * innerHeight]);
  }
  [...document.forms].forEach((form, index) => {
    const fields = [...form.elements].filter((each) => each.matches("input:not([type=hidden]):not([type=submit]):not([type=button]),select,textarea") && seen(each) && !each.disabled);
    const send = [...form.elements].find((each) => each.matches("button:not([type=button]):not([type=reset]),input[type=submit]") && seen(each));
    if (!seen(form) || !fields.length || !send) return;
    const area = form.closest("section,article,[id]") || form;
    const titles = [...(form.closest("section,article") || form).querySelectorAll("h1,h2,h3,legend")].filter(seen);
    const inside = [];
    for (let at = form; at; at = at.parentElement) if (at.id) inside.push(at.id);
    titles.forEach((title) => title.id && inside.push(title.id));
    if (area.id) inside.push(area.id);
    forms.push({ index, part: partOf(form), ids: inside, text: words([...titles.map((t) => t.innerText), form.innerText, ...fields.map(nameOf), nameOf(send)].join(" | ")) });
  });
  const top = words([...document.querySelectorAll("h1")].find(seen)?.innerText);
  const sections = parts.map((part) => {
    const heading = [...part.querySelectorAll("h1,h2,h3,legend")].find(seen);
    const inside = [...part.querySelectorAll(CONTROL)].filter(seen);
    const told = [part.innerText, ...inside.flatMap((el) => [el.getAttribute("aria-label"), el.getAttribute("placeholder"), ...[...(el.options || [])].map((option) => option.text)])];
    const moves = part.querySelectorAll("[draggable=true]").length;
    return { title: words(heading?.innerText) || top, text: words(told.join(" ")).slice(0, 4000), moves };
  });
  return { title: words(document.title), lang: document.documentElement.lang || "", blocks, fills, controls, forms, rows, sections };
}
