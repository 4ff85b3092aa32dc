/** Builds the lab into dist/lab: static files with relative addresses, that any web host can serve from any folder. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  logLevel: "warn",
  worker: { format: "es" },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: here("../dist/lab"),
    // scripts/build.mjs removes what is left of earlier builds, afterwards.
    emptyOutDir: false,
    target: "es2022",
    // Addresses of data: would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
