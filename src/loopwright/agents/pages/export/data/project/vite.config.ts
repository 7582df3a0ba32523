import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url));
const pages = readdirSync(root).filter((name) => name.endsWith(".html"));

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    rollupOptions: { input: Object.fromEntries(pages.map((name) => [name.slice(0, -".html".length), root + name])) },
  },
  test: { environment: "jsdom", setupFiles: ["tests/setup.ts"] },
});
