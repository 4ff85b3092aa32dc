/**
 * Builds the lab into dist/lab: static files with relative addresses, which any web host can serve
 * from any folder.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pagePolicy } from "../node/lab/page-policy.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const policyTag = {
  tag: "meta",
  attrs: { "http-equiv": "Content-Security-Policy", content: pagePolicy },
  injectTo: "head-prepend",
} as const;

export default defineConfig({
  root: here("."),
  base: "./",
  logLevel: "warn",
  worker: { format: "es" },
  plugins: [{ name: "policy", transformIndexHtml: () => [policyTag] }],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: here("../dist/lab"),
    // scripts/build.mjs removes files of earlier builds afterwards.
    emptyOutDir: false,
    target: "es2022",
    // data: addresses would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licences.md" },
  },
});
