import { readFileSync, readdirSync } from "node:fs";
import { vi } from "vitest";

/** The names of the pages, without `.html`. */
export const slugs = readdirSync(".")
  .filter((name) => name.endsWith(".html"))
  .map((name) => name.slice(0, -".html".length));

const components = import.meta.glob("../src/components/*/index.ts");

/** What the page before has listened for: document and window outlive it here. */
const heard: (() => void)[] = [];

for (const target of [document, window]) {
  const listen = target.addEventListener.bind(target);
  target.addEventListener = (
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void => {
    if (!listener) return;
    heard.push(() => target.removeEventListener(type, listener, options));
    listen(type, listener, options);
  };
}

/** Shows a page and runs its scripts, as a browser does. */
export async function show(slug: string): Promise<void> {
  for (const forget of heard.splice(0)) forget();
  localStorage.clear();
  const parsed = new DOMParser().parseFromString(readFileSync(`${slug}.html`, "utf-8"), "text/html");
  document.documentElement.lang = parsed.documentElement.lang;
  document.head.innerHTML = parsed.head.innerHTML;
  document.body.innerHTML = parsed.body.innerHTML;
  for (const { name, value } of parsed.body.attributes) document.body.setAttribute(name, value);
  vi.resetModules();
  for (const script of document.querySelectorAll("script")) {
    const source = script.getAttribute("src");
    if (source?.startsWith("/src/components/")) await components[`..${source}`]?.();
    else if (!source && (!script.type || script.type === "text/javascript")) window.eval(script.textContent ?? "");
  }
  document.dispatchEvent(new Event("DOMContentLoaded"));
}
