// Runs inside the page and returns what a person with a thumb would meet: how wide the page is, which targets are too
// small, where the links lead. Sizes are CSS pixels.
({ targets, minimum }) => {
  const TOLERANCE = 0.5;

  const describe = (element) => {
    if (element.id) return `#${element.id}`;
    const path = [];
    for (let step = element; step && step !== document.documentElement; step = step.parentElement) {
      const siblings = [...(step.parentElement?.children ?? [])].filter((other) => other.tagName === step.tagName);
      const number = siblings.length > 1 ? `:nth-of-type(${siblings.indexOf(step) + 1})` : "";
      path.unshift(step.tagName.toLowerCase() + number);
    }
    return path.join(" > ");
  };

  // A link in a sentence is inline, and there are words beside it on its own line.
  const isInSentence = (element) => {
    if (!element.matches("a, [role=link]") || getComputedStyle(element).display !== "inline") return false;
    let block = element.parentElement;
    while (block && getComputedStyle(block).display === "inline") block = block.parentElement;
    const wordsBeside = (node) =>
      [...node.childNodes].some((child) => {
        if (child.nodeType === Node.TEXT_NODE) return /[\p{L}\p{N}]/u.test(child.data);
        if (child.nodeType !== Node.ELEMENT_NODE || child.matches(targets)) return false;
        return getComputedStyle(child).display === "inline" && wordsBeside(child);
      });
    return block !== null && wordsBeside(block);
  };

  // What a tap reaches: an inline box is only as tall as its font, but what it holds can be tapped too, and so can the
  // label of a field.
  const areaOf = (element) => {
    const parts = [element];
    if (getComputedStyle(element).display === "inline") parts.push(...element.querySelectorAll("*"));
    const rectangles = parts.map((part) => part.getBoundingClientRect()).filter((box) => box.width && box.height);
    if (!rectangles.length) return null;
    const left = Math.min(...rectangles.map((box) => box.left));
    const top = Math.min(...rectangles.map((box) => box.top));
    const right = Math.max(...rectangles.map((box) => box.right));
    const bottom = Math.max(...rectangles.map((box) => box.bottom));
    return { width: right - left, height: bottom - top, right: right + scrollX, bottom: bottom + scrollY };
  };

  const isLargeEnough = (area) => area.width >= minimum - TOLERANCE && area.height >= minimum - TOLERANCE;

  const smallTargets = [];
  let targetCount = 0;
  for (const element of document.querySelectorAll(targets)) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const area = areaOf(element);
    const isHiddenByPosition = !area || area.right <= 0 || area.bottom <= 0 || area.width <= 1 || area.height <= 1;
    if (isHiddenByPosition || isInSentence(element)) continue;
    targetCount += 1;
    const areas = [area, ...[...(element.labels ?? [])].map(areaOf).filter(Boolean)];
    if (!areas.some(isLargeEnough)) {
      smallTargets.push({ selector: describe(element), width: area.width, height: area.height });
    }
  }

  const root = document.documentElement;
  return {
    title: document.title,
    innerWidth,
    overflow: Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0) - root.clientWidth,
    targetCount,
    smallTargets,
    links: [...document.querySelectorAll("a[href], area[href]")].map((link) => link.href),
  };
}
