// What a person sees of each element of the page as it stands: its kind, its words, its place and its computed style.
() => {
  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const seen = (el) => {
    if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
    const box = el.getBoundingClientRect();
    return box.width > 2 && box.height > 2 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
  };
  // Where the text of a block is seen in what holds it, whatever its alignment says: a narrow box may stand anywhere.
  const standsOf = (el, style) => {
    if (/inline|contents/.test(style.display) || !el.textContent.trim()) return "";
    const range = document.createRange(), around = getComputedStyle(el.parentElement), outer = el.parentElement.getBoundingClientRect();
    range.selectNodeContents(el);
    const text = range.getBoundingClientRect();
    const before = text.left - outer.left - parseFloat(around.paddingLeft) - parseFloat(around.borderLeftWidth);
    const after = outer.right - text.right - parseFloat(around.paddingRight) - parseFloat(around.borderRightWidth);
    if (before <= 4 && after <= 4) return "wide";
    return Math.abs(before - after) <= 6 ? "center" : before < after ? "left" : "right";
  };
  const clear = (colour) => /^rgba\(.*, 0\)$|^transparent$/.test(colour);
  const groundOf = (el) => {
    for (let at = el; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!clear(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const nameOf = (el) => words([
    el.getAttribute("aria-label"), el.getAttribute("placeholder"), el.getAttribute("alt"), el.getAttribute("title"),
    el.matches("input[type=submit],input[type=button]") ? el.value : "",
  ].filter(Boolean).join(" "));
  const pathOf = (el) => {
    const steps = [];
    for (let at = el; at && at !== document.body; at = at.parentElement) {
      if (at.id) { steps.unshift(`#${CSS.escape(at.id)}`); break; }
      const same = [...at.parentElement.children].filter((each) => each.tagName === at.tagName);
      steps.unshift(`${at.tagName.toLowerCase()}:nth-of-type(${same.indexOf(at) + 1})`);
    }
    return steps.join(" > ");
  };
  const MONEY = /(?:[$€£¥₹]|CHF|EUR|USD|GBP|kr|元|Fr\.)\s?\d|\d[\d.,]*\s?(?:[$€£¥₹]|CHF|EUR|USD|GBP|kr\b|元|Fr\.)/;
  // The mark at the beginning of a header: its first picture, or a small filled box; what one presses is none.
  const marks = (header) => [...header.querySelectorAll("*")].filter((el) => seen(el) && !el.closest("button,[role=button],a[aria-label]")
    && (el.matches("img,svg") || (el.getBoundingClientRect().width <= 120 && getComputedStyle(el).backgroundColor !== groundOf(el.parentElement))));
  const logos = [...document.querySelectorAll("header")].flatMap((header) => marks(header).slice(0, 1)).filter((el) => el.getBoundingClientRect().left < innerWidth / 2);
  const kindsOf = (el, style, box, text) => {
    const kinds = [], inNav = el.closest("nav,[role=navigation]");
    const filled = !clear(style.backgroundColor) || style.backgroundImage !== "none";
    const edged = parseFloat(style.borderTopWidth) > 0 && !clear(style.borderTopColor);
    const padded = parseFloat(style.paddingLeft) >= 6;
    if (el.matches("button,[role=button],input[type=submit],input[type=button]")) kinds.push("button");
    else if (el.matches("a[href]")) {
      const fits = text.length < 60 && box.height >= 28 && !el.querySelector("h1,h2,h3,h4,p,img");
      kinds.push(!inNav && fits && padded && (filled || edged) ? "button" : "link");
    }
    if (kinds.includes("button") && !text && !filled && !edged) kinds.push("bare");
    if (el.matches("a[href]") && inNav) kinds.push("menu item");
    if (/^H[1-6]$/.test(el.tagName)) kinds.push("heading");
    if (el.matches("h1")) kinds.push("headline");
    if (el.matches("input:not([type=hidden]):not([type=submit]):not([type=button]),select,textarea")) kinds.push("field");
    if (el.matches("img,picture,video,canvas,[role=img]") || (el.matches("svg") && box.width >= 80 && box.height >= 60)) kinds.push("image");
    if (el.matches("svg") && box.width < 48) kinds.push("icon");
    if (el.matches("nav,[role=navigation]")) kinds.push("menu");
    if (el.matches("header")) kinds.push("header");
    if (el.matches("footer")) kinds.push("footer");
    if (logos.includes(el)) kinds.push("logo");
    if (el.matches("section,article,form,aside")) kinds.push("section");
    if (el.matches("form")) kinds.push("form");
    if (el.matches("li,tr")) kinds.push("row");
    const block = !kinds.includes("button") && !inNav && !el.matches("body,main,header,footer,input,select,textarea,#app,ul,ol");
    const own = el.parentElement && style.backgroundColor !== groundOf(el.parentElement) && filled;
    if (block && text && box.width >= 100 && box.height >= 60 && parseFloat(style.borderTopLeftRadius) > 0
      && (own || edged || style.boxShadow !== "none") && !el.closest("svg")) kinds.push("card");
    else if (el.matches("article")) kinds.push("card");
    const bare = [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (bare) kinds.push("text");
    if (bare && text.length < 40 && MONEY.test(text) && !el.closest("button,[role=button]")) kinds.push("price");
    if (bare && text.length < 60 && (/[★☆⭐]|\breviews?\b|\bratings?\b|Bewertung|条评价|评分/i.test(text)
      || (/^[0-5][.,]\d$/.test(text) && el.parentElement.querySelector("svg")))) kinds.push("rating");
    // A score with its star, and with how many have given one, is one thing.
    if (!bare && el.querySelector("svg") && /^[0-5][.,]\d(?:\s*\([\d.,]+\))?$/.test(text)) kinds.push("rating");
    if (el.matches("[aria-label*=' out of '],[aria-label*=rating i],[aria-label*=stars i]")) kinds.push("rating");
    if (el === document.body || el.matches("main")) kinds.push("page");
    return [...new Set(kinds)];
  };
  const found = [];
  for (const el of [document.body, ...document.body.querySelectorAll("*")]) {
    if (el.closest("script,style,template,noscript") || (el.closest("svg") && !el.matches("svg")) || !seen(el)) continue;
    const style = getComputedStyle(el), box = el.getBoundingClientRect();
    const text = words(el.innerText).slice(0, 2000), kinds = kindsOf(el, style, box, text);
    if (!kinds.length && !el.id) continue;
    const own = words([...el.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join(" "));
    found.push({
      tag: el.tagName.toLowerCase(), kinds, text, own, label: nameOf(el), href: el.getAttribute("href") || "",
      classes: [...el.classList], path: pathOf(el), inside: found.findLastIndex((each) => each.el.contains(el)), el,
      x: Math.round(box.left + scrollX), y: Math.round(box.top + scrollY), width: Math.round(box.width), height: Math.round(box.height),
      fixed: ["fixed", "sticky"].includes(style.position), colour: style.color,
      ground: groundOf(el), size: parseFloat(style.fontSize), weight: parseFloat(style.fontWeight), font: style.fontFamily,
      radius: Math.min(parseFloat(style.borderTopLeftRadius) || 0, Math.min(box.width, box.height) / 2), align: style.textAlign,
      padding: parseFloat(style.paddingTop) + parseFloat(style.paddingLeft), mono: /mono|courier|consol/i.test(style.fontFamily),
      shadow: style.boxShadow !== "none" && !/rgba\([^)]*, 0\) [^,]*$/.test(style.boxShadow),
      edge: clear(style.borderTopColor) || clear(style.borderLeftColor) ? 0 : Math.min(parseFloat(style.borderTopWidth), parseFloat(style.borderLeftWidth)),
      edge_colour: style.borderTopColor, stands: kinds.includes("text") ? standsOf(el, style) : "",
    });
  }
  return {
    title: document.title, lang: document.documentElement.lang, wide: document.documentElement.scrollWidth > innerWidth + 1,
    elements: found.map(({ el, ...rest }) => rest),
  };
}
