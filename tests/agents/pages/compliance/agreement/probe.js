// Chromium's own verdict on each rule: the ids of the elements that break it, `page` for the page as a whole. What the
// product's own measuring script looks at is asked there; here is what it leaves out.
() => {
  const name = (element) => element.id || "page";
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const channels = (colour) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((channel, i) => channel * a + ground[i] * (1 - a));
  const ancestors = (element) => {
    const chain = [];
    for (let step = element; step; step = step.parentElement) chain.unshift(step);
    return chain;
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (element) => {
    let ground = [255, 255, 255];
    let opacity = 1;
    for (const step of ancestors(element)) {
      const style = getComputedStyle(step);
      const [r, g, b, a] = channels(style.backgroundColor);
      opacity *= Number(style.opacity);
      ground = over([r, g, b, a * opacity], ground);
    }
    const [r, g, b, a] = channels(getComputedStyle(element).color);
    const [one, other] = [luminance(over([r, g, b, a * opacity], ground)), luminance(ground)].sort((x, y) => y - x);
    return (one + 0.05) / (other + 0.05);
  };
  const isLarge = (element) => {
    const { fontSize, fontWeight } = getComputedStyle(element);
    return parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
  };
  const wordy = [...document.querySelectorAll("body *:not(script, style, template, noscript, option, svg *)")].filter(
    (element) => shown(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()),
  );
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  const fragments = [...document.querySelectorAll('a[href^="#"]')].filter((link) => {
    const fragment = decodeURIComponent(link.hash.slice(1));
    return fragment && fragment !== "top" && !document.getElementById(fragment);
  });
  const handlers = [...document.querySelectorAll("[onclick]")].filter((element) => element.onclick === null);
  return {
    contrast: wordy.filter((element) => ratio(element) < (isLarge(element) ? 3 : 4.5) - 0.005).map(name),
    hidden: [...document.querySelectorAll("body [id]:not(#new)")].filter((element) => !shown(element)).map(name),
    bodySize: parseFloat(getComputedStyle(document.body).fontSize),
    handlers: handlers.map(name),
    fragments: fragments.map(name),
    files: [...document.querySelectorAll('a[href]:not([href^="#"])')]
      .filter((link) => link.hostname === location.hostname)
      .map((link) => [name(link), link.pathname]),
    duplicates: ids.some((id, index) => ids.indexOf(id) !== index),
    headings: [...document.querySelectorAll("h1")].filter(shown).length,
    title: document.title.trim(),
    quirks: document.compatMode !== "CSS1Compat",
  };
}
