/** The documentation site: the guides in docs/ and the front page. scripts/build-site.mjs adds the rest. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import { anyFolder, relativePage } from "./any-folder.js";
import { indices } from "./markdown/indices.js";
import { math } from "./markdown/math.js";
import { githubSlug } from "./markdown/slug.js";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Only these have pages. */
const sources = ["CHANGELOG.md", "CONTRIBUTING.md", "docs", "models", "priors", "site"];
const others = readdirSync(root, { withFileTypes: true })
  .filter(({ name }) => !sources.includes(name))
  .map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name));

/** Pages outside VitePress: the router must not open them. */
const outside = { target: "_self", rel: "" } as const;
const link = (text: string, page: string): DefaultTheme.SidebarItem => ({
  text,
  link: `/docs/${page}.html`,
});

const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: "Start",
    items: [
      link("Getting started", "getting-started"),
      link("Fit your own density", "fit-your-own"),
      link("Denoise", "denoise"),
      link("The lab", "lab"),
      link("Commands", "commands"),
    ],
  },
  {
    text: "The method",
    items: [
      link("How it works", "how-it-works"),
      link("Results", "results"),
      link("Reproduce the paper", "reproduce-the-paper"),
      link("Whole images", "whole-images"),
      link("Notation", "NOTATION"),
    ],
  },
  {
    text: "For developers",
    items: [
      link("The library", "library"),
      { text: "API reference", link: "/api/index.html", ...outside },
      link("Model files", "model-files"),
      link("Performance", "performance"),
      link("Scaling out", "scaling"),
      link("Engines", "engines"),
      link("Decisions", "decisions"),
      { text: "Contributing", link: "/CONTRIBUTING.html" },
      { text: "Changelog", link: "/CHANGELOG.html" },
    ],
  },
];

export default defineConfig({
  title: "gaussianize",
  description: "Density models of images by generalized divisive normalization.",
  lang: "en-GB",
  srcDir: root,
  outDir: `${root}/dist/site`,
  cacheDir: `${root}/node_modules/.cache/vitepress`,
  srcExclude: others,
  // VitePress looks for a page behind each relative link. The tests follow all links.
  ignoreDeadLinks: [/\/python\/gaussianize\.py$/],
  rewrites: { "site/index.md": "index.md" },
  head: [["meta", { name: "color-scheme", content: "light dark" }]],
  themeConfig: {
    nav: [
      { text: "Guides", link: "/docs/getting-started.html", activeMatch: "/docs/(?!results)" },
      { text: "Results", link: "/docs/results.html" },
      { text: "API", link: "/api/index.html", ...outside },
      { text: "Lab", link: "/lab/index.html", ...outside },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
    externalLinkIcon: true,
  },
  markdown: {
    anchor: { slugify: githubSlug },
    // Braces after a word are indices, not attributes.
    attrs: { disable: true },
    image: { lazyLoading: true },
    config: (markdown) => {
      math(markdown);
      indices(markdown);
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "live-example" } } },
  vite: { plugins: [anyFolder()], build: { assetsInlineLimit: 0 } },
  transformHtml: (html, _, { page }) => relativePage(html, page),
});
