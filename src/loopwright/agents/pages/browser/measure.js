// Runs inside the page and returns what a person with a thumb would meet. Sizes are CSS pixels.
({ minimumTarget, minimumText, minimumFieldText }) => {
  const TOLERANCE = 0.5;
  const AT_MOST = 40;
  const TARGETS =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=link], [role=tab], " +
    "[role=switch], [role=checkbox], [role=radio], [role=menuitem]";
  const TYPED_INTO =
    "select, textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=range], [type=color], " +
    "[type=file], [type=button], [type=submit], [type=reset], [type=image])";
  const root = document.documentElement;

  const describe = (element) => {
    if (element.id) return `#${CSS.escape(element.id)}`;
    const path = [];
    for (let step = element; step && step !== root; step = step.parentElement) {
      if (step !== element && step.id) {
        path.unshift(`#${CSS.escape(step.id)}`);
        break;
      }
      const siblings = [...(step.parentElement?.children ?? [])].filter((other) => other.tagName === step.tagName);
      const number = siblings.length > 1 ? `:nth-of-type(${siblings.indexOf(step) + 1})` : "";
      path.unshift(step.tagName.toLowerCase() + number);
    }
    return path.join(" > ");
  };

  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });

  // A link in a sentence is inline, and there are words beside it on its own line.
  const isInSentence = (element) => {
    if (!element.matches("a, [role=link]") || getComputedStyle(element).display !== "inline") return false;
    let block = element.parentElement;
    while (block && getComputedStyle(block).display === "inline") block = block.parentElement;
    const wordsBeside = (node) =>
      [...node.childNodes].some((child) => {
        if (child.nodeType === Node.TEXT_NODE) return /[\p{L}\p{N}]/u.test(child.data);
        if (child.nodeType !== Node.ELEMENT_NODE || child.matches(TARGETS)) return false;
        return getComputedStyle(child).display === "inline" && wordsBeside(child);
      });
    return block !== null && wordsBeside(block);
  };

  // What a tap reaches: an inline box is only as tall as its font, but what it holds can be tapped too, and so can the
  // label of a field.
  const areaOf = (element) => {
    const parts = [element];
    if (getComputedStyle(element).display === "inline") parts.push(...element.querySelectorAll("*"));
    const boxes = parts.map((part) => part.getBoundingClientRect()).filter((box) => box.width && box.height);
    if (!boxes.length) return null;
    const left = Math.min(...boxes.map((box) => box.left));
    const top = Math.min(...boxes.map((box) => box.top));
    const right = Math.max(...boxes.map((box) => box.right));
    const bottom = Math.max(...boxes.map((box) => box.bottom));
    return { width: right - left, height: bottom - top, right: right + scrollX, bottom: bottom + scrollY };
  };

  const isLargeEnough = (area) => area.width >= minimumTarget - TOLERANCE && area.height >= minimumTarget - TOLERANCE;
  const isHiddenByPosition = (area) =>
    !area || area.right <= 0 || area.bottom <= 0 || area.width <= 1 || area.height <= 1;

  const targets = [...document.querySelectorAll(TARGETS)].filter(
    (element) => isShown(element) && !isHiddenByPosition(areaOf(element)) && !element.closest("svg"),
  );
  const smallTargets = targets
    .filter((element) => !isInSentence(element))
    .map((element) => ({ element, area: areaOf(element) }))
    .filter(({ element, area }) => ![area, ...[...(element.labels ?? [])].map(areaOf)].some((a) => a && isLargeEnough(a)))
    .map(({ element, area }) => ({ selector: describe(element), width: area.width, height: area.height }));

  const ownText = (element) =>
    [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.data.trim())
      .join("");
  const wordy = [...document.querySelectorAll("body, body *:not(script, style, template, noscript, option)")].filter(
    (element) => !element.closest("svg") && ownText(element) && isShown(element),
  );
  const smallText = [
    ...wordy.map((element) => ({ element, required: minimumText })),
    ...[...document.querySelectorAll(TYPED_INTO)].filter(isShown).map((element) => ({ element, required: minimumFieldText })),
  ]
    .map(({ element, required }) => ({
      selector: describe(element),
      size: parseFloat(getComputedStyle(element).fontSize),
      required,
    }))
    .filter(({ size, required }) => size < required - 0.05);

  // Text of the colour of its ground. Where a picture or a gradient lies between, nothing is said.
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const groundOf = (element) => {
    for (let step = element; step; step = step.parentElement) {
      const style = getComputedStyle(step);
      if (style.backgroundImage !== "none" || style.backdropFilter !== "none") return null;
      const [red, green, blue, alpha = 1] = channels(style.backgroundColor);
      if (alpha === 1) return [red, green, blue];
      if (alpha > 0) return null;
      if (["fixed", "absolute", "sticky"].includes(style.position)) return null;
    }
    return [255, 255, 255];
  };
  const isInvisible = (element) => {
    const style = getComputedStyle(element);
    if (style.backgroundClip === "text" || !style.color.startsWith("rgb")) return false;
    const [red, green, blue, alpha = 1] = channels(style.color);
    if (alpha === 0) return true;
    const ground = groundOf(element);
    return ground !== null && alpha === 1 && Math.abs(ground[0] - red) + Math.abs(ground[1] - green) + Math.abs(ground[2] - blue) < 12;
  };
  const invisibleText = wordy
    .filter((element) => element.getBoundingClientRect().width > 1 && isInvisible(element))
    .map(describe);

  const overflow = Math.max(root.scrollWidth, document.body?.scrollWidth ?? 0) - root.clientWidth;
  const sticksOut = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.right + scrollX > root.clientWidth + TOLERANCE;
  };
  const isClipped = (element) => {
    for (let step = element.parentElement; step && step !== root; step = step.parentElement) {
      if (step !== document.body && getComputedStyle(step).overflowX !== "visible") return true;
    }
    return getComputedStyle(element).position === "fixed";
  };
  const overflowing =
    overflow > 0
      ? [...document.querySelectorAll("body *")]
          .filter((element) => isShown(element) && sticksOut(element) && !isClipped(element))
          .filter((element, _, all) => !all.some((other) => other !== element && element.contains(other)))
          .map(describe)
      : [];

  // Fixed bars over each other, and targets at the end of the page that a fixed bar covers for good.
  const isFixed = (element) => getComputedStyle(element).position === "fixed";
  const bars = [...document.querySelectorAll("body *")].filter(
    (element) =>
      isFixed(element) && isShown(element) && getComputedStyle(element).pointerEvents !== "none" &&
      getComputedStyle(element).opacity !== "0",
  );
  const overlaps = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 4 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4;
  const isBar = (box) => box.width >= innerWidth * 0.6 && box.height <= innerHeight * 0.3 && box.height > 0;
  const covered = [];
  bars.forEach((bar, index) =>
    bars.slice(index + 1).forEach((other) => {
      if (bar.contains(other) || other.contains(bar)) return;
      const [box, second] = [bar.getBoundingClientRect(), other.getBoundingClientRect()];
      if (isBar(box) && isBar(second) && overlaps(box, second)) {
        covered.push({ selector: describe(bar), covered_by: describe(other) });
      }
    }),
  );
  const scrolledFrom = [scrollX, scrollY];
  window.scrollTo({ top: root.scrollHeight, behavior: "instant" });
  for (const element of targets) {
    if (element.closest("[inert]") || bars.some((bar) => bar.contains(element))) continue;
    const box = element.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const top = document.elementFromPoint(x, y);
    const bar = bars.find((candidate) => top && candidate.contains(top) && isBar(candidate.getBoundingClientRect()));
    // What a bar at the top covers can be scrolled down from under it; at the bottom there is no further.
    const isAtBottom = bar && bar.getBoundingClientRect().bottom > innerHeight - 40;
    if (isAtBottom) covered.push({ selector: describe(element), covered_by: describe(bar) });
  }
  window.scrollTo({ left: scrolledFrom[0], top: scrolledFrom[1], behavior: "instant" });

  const text = document.body?.innerText ?? "";
  return {
    title: document.title,
    inner_width: innerWidth,
    overflow,
    overflowing: overflowing.slice(0, AT_MOST),
    letters: text.replace(/\s+/g, "").length,
    target_count: targets.length,
    small_targets: smallTargets.slice(0, AT_MOST),
    small_text: smallText.slice(0, AT_MOST),
    invisible_text: invisibleText.slice(0, AT_MOST),
    covered: covered.slice(0, AT_MOST),
    broken_images: [...document.images]
      .filter((image) => image.complete && image.naturalWidth === 0 && image.getAttribute("src"))
      .map(describe)
      .slice(0, AT_MOST),
    links: [...document.querySelectorAll("a[href], area[href]")].map((link) => link.href),
  };
}
