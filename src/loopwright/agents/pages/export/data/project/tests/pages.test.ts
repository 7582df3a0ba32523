import { describe, expect, it } from "vitest";
import { show, slugs } from "./page";

describe.each(slugs)("%s", (slug) => {
  it("has a language, a title and one main heading", async () => {
    await show(slug);
    expect(document.documentElement.lang).not.toBe("");
    expect(document.title).not.toBe("");
    expect(document.querySelectorAll("h1").length).toBeGreaterThan(0);
  });

  it("leads only to pages that exist", async () => {
    await show(slug);
    const targets = [...document.querySelectorAll("a[href]")]
      .map((link) => (link.getAttribute("href") ?? "").split(/[?#]/)[0] ?? "")
      .filter((target) => /^[\w-]+\.html$/.test(target));
    expect(targets.filter((target) => !slugs.includes(target.slice(0, -".html".length)))).toEqual([]);
  });
});
