// The figures that a page shows, each with the heading of its section and the row in which it stands: by the words around them, so that a part that is drawn anew is known again.
() => {
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const found = {}, twice = new Set();
  for (const el of document.body.querySelectorAll("*")) {
    if (el.matches("script,style,option,select,input,textarea") || !seen(el)) continue;
    const own = words([...el.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join(" "));
    if (!/\d/.test(own)) continue;
    const row = el.closest("p,li,tr,dd,dt,h1,h2,h3,output,figure") || el.parentElement;
    const heading = el.closest("section,article")?.querySelector("h1,h2,h3") || document.querySelector("h1");
    const text = words([heading && !heading.contains(el) ? heading.innerText : "", row.innerText].join(" "));
    const key = `${text.replace(/\d+([.,:]\d+)*/g, "#")} ${own.replace(/\d+([.,:]\d+)*/g, "#")}`;
    if (key in found) twice.add(key);
    found[key] = text;
  }
  for (const key of twice) delete found[key]; // of what is said twice nobody can tell which of them changed
  return found;
}
