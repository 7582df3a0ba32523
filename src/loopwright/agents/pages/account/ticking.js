// Tick every box as a person would; tell how many there are, how many change, and how many things beside them have none.
() => {
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || [...(el.labels || [])].some((label) => label.checkVisibility());
  const boxes = [...document.querySelectorAll("input[type=checkbox],[role=checkbox]")].filter((el) => seen(el) && !el.disabled);
  const state = (el) => (el.matches("input") ? el.checked : el.getAttribute("aria-checked") === "true");
  const items = new Set(boxes.map((box) => box.closest("li,tr")).filter(Boolean)); // before: ticking may draw a list anew
  const lists = new Set([...items].map((item) => item.parentElement));
  const bare = [...lists].flatMap((list) => [...list.children]).filter((item) => item.matches("li,tr") && !items.has(item) && item.innerText.trim());
  let work = 0;
  for (const box of boxes) {
    const before = state(box);
    box.click();
    if (state(box) !== before) work += 1;
  }
  return { boxes: boxes.length, work, bare: bare.length };
}
