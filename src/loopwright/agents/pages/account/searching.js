// Types into each field for searching what the last row says, and what no row says: which rows are seen then.
async () => {
  const seen = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const rows = () => [...document.querySelectorAll("li, tbody tr, article")]
    .filter((el) => !el.closest("nav, header, footer") && !el.querySelector("li, tr, article") && seen(el) && el.innerText.trim());
  const type = async (field, text) => {
    field.value = text;
    for (const name of ["input", "keyup", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
    await new Promise((done) => setTimeout(done, 60));
  };
  const found = [];
  for (const field of [...document.querySelectorAll("input[type=search]")].filter(seen).slice(0, 3)) {
    const all = rows(), words = (all.at(-1)?.innerText || "").match(/[^\s\d.,:;·–-]{2,}/g) || [];
    const word = words.find((each) => all.filter((row) => row.innerText.includes(each)).length < all.length) || words[0] || "";
    await type(field, word);
    const hits = rows(), right = hits.every((row) => row.innerText.toLowerCase().includes(word.toLowerCase()));
    const before = document.body.innerText.length;
    await type(field, "qqqzzz");
    const none = rows().length, said = document.body.innerText.trim().length > 0;
    const status = [...document.querySelectorAll("[role=status], [aria-live]")].some((el) => seen(el) && el.innerText.trim());
    await type(field, "");
    found.push({ word, all: all.length, hits: hits.length, right, none, said: said && status, back: rows().length, before });
  }
  const around = (choice) => choice.closest("section") || document;
  const choices = [...document.querySelectorAll("main select")].filter((el) => seen(el) && !el.closest("form, dialog") && el.options.length > 1);
  for (const choice of choices.slice(0, 3)) {
    const own = () => rows().filter((row) => around(choice).contains(row));
    const all = own().length, word = choice.options[choice.options.length - 1].text.trim();
    const choose = async (value) => {
      choice.value = value;
      choice.dispatchEvent(new Event("change", { bubbles: true }));
      await new Promise((done) => setTimeout(done, 60));
    };
    await choose(choice.options[choice.options.length - 1].value);
    const hits = own(), right = hits.every((row) => row.innerText.includes(word));
    await choose(choice.options[0].value);
    const by = (choice.labels?.[0]?.firstChild?.textContent || choice.getAttribute("aria-label") || "").trim();
    found.push({ by, word, all, hits: hits.length, right, back: own().length });
  }
  return found;
}
