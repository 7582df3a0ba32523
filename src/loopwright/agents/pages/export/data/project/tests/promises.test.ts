import { describe, expect, it } from "vitest";
import promises from "../src/promises.json";
import { show } from "./page";

interface Check {
  kind: string;
  slug: string;
  says: string;
  selector?: string;
  text?: string;
  attribute?: string;
  value?: string;
  present?: boolean;
  min_count?: number;
  max_count?: number;
  target?: string;
  label?: string;
}

const plain = (text: string | null): string => (text ?? "").replace(/\s+/g, " ").trim().toLowerCase();

function shown(): string {
  const copy = document.body.cloneNode(true) as HTMLElement;
  copy.querySelectorAll("script, style, template").forEach((each) => each.remove());
  return plain(copy.textContent);
}

const tried: Record<string, (check: Check) => void> = {
  element(check) {
    const found = [...document.querySelectorAll(check.selector ?? "*")];
    const wanted = found
      .filter((each) => plain(each.textContent).includes(plain(check.text ?? "")))
      .filter((each) => !check.attribute || each.hasAttribute(check.attribute))
      .filter((each) => !check.value || each.getAttribute(check.attribute ?? "") === check.value);
    expect(wanted.length).toBeGreaterThanOrEqual(check.min_count ?? 1);
    expect(wanted.length).toBeLessThanOrEqual(check.max_count ?? Infinity);
  },
  text(check) {
    expect(shown().includes(plain(check.text ?? ""))).toBe(check.present ?? true);
  },
  link(check) {
    const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
      .filter((link) => (link.getAttribute("href") ?? "").split(/[?#]/)[0] === `${check.target}.html`)
      .filter((link) => !check.label || plain(link.textContent).includes(plain(check.label)));
    expect(links.length).toBeGreaterThan(0);
  },
};

describe.each(promises as { id: string; request: string; checks: Check[] }[])("$id: $request", ({ checks }) => {
  for (const check of checks) {
    const attempt = tried[check.kind];
    if (!attempt) {
      it.todo(check.says); // a tap or a computed style: for a browser
      continue;
    }
    it(check.says, async () => {
      await show(check.slug);
      attempt(check);
    });
  }
});
