/** The documentation site: the guides in docs/ and the front page. scripts/build-site.mjs adds the rest. */
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import { anyFolder, relativePage } from "./any-folder.js";
import { landmarks } from "./landmarks.js";
import { indices } from "./markdown/indices.js";
import { math } from "./markdown/math.js";
import { githubSlug } from "./markdown/slug.js";
import { tableCorners } from "./markdown/table-corners.js";
import { replaceTexts } from "./replace-texts.js";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Only these have pages. */
const sources = ["CHANGELOG.md", "CONTRIBUTING.md", "docs", "models", "priors", "site"];
const others = readdirSync(root, { withFileTypes: true })
  .filter(({ name }) => !sources.includes(name))
  .map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name));

// Links to files of this type lead to no pages.
process.env.VITE_EXTRA_EXTENSIONS = "py";

/** Pages outside VitePress: the router must not open them. */
const outside = { target: "_self", rel: "" } as const;
const link = (text: string, page: string): DefaultTheme.SidebarItem => ({
  text,
  link: `/docs/${page}.html`,
});

/** TypeDoc writes a page for each subpath of the package. */
const modules = `${root}/site/api/gaussianize`;
const reference: DefaultTheme.SidebarItem = {
  text: "API reference",
  items: [
    { text: "gaussianize", link: "/api/gaussianize.html" },
    ...(existsSync(modules) ? readdirSync(modules) : []).map((file) => {
      const page = file.replace(/\.md$/, "");
      return { text: `/${page.replace(/-\d$/, "")}`, link: `/api/gaussianize/${page}.html` };
    }),
  ],
};

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
      link("Model files", "model-files"),
      link("Performance", "performance"),
      link("Scaling out", "scaling"),
      link("Engines", "engines"),
      link("Decisions", "decisions"),
      { text: "Contributing", link: "/CONTRIBUTING.html" },
      { text: "Changelog", link: "/CHANGELOG.html" },
    ],
  },
  reference,
];

export default defineConfig({
  title: "gaussianize",
  description: "Density models of images by generalized divisive normalization.",
  lang: "en-GB",
  srcDir: root,
  outDir: `${root}/dist/site`,
  cacheDir: `${root}/node_modules/.cache/vitepress`,
  srcExclude: others,
  rewrites: { "site/:page*": ":page*" },
  head: [["meta", { name: "color-scheme", content: "light dark" }]],
  themeConfig: {
    nav: [
      { text: "Guides", link: "/docs/getting-started.html", activeMatch: "/docs/(?!results)" },
      { text: "Results", link: "/docs/results.html" },
      { text: "API", link: "/api/index.html", activeMatch: "/api/" },
      { text: "Lab", link: "/lab/index.html", ...outside },
    ],
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
    externalLinkIcon: true,
    notFound: { linkLabel: "Take me home" },
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: githubSlug },
    // Braces after a word are indices, not attributes.
    attrs: { disable: true },
    image: { lazyLoading: true },
    config: (markdown) => {
      math(markdown);
      indices(markdown);
      tableCorners(markdown);
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === "live-example" } } },
  vite: { plugins: [...anyFolder, replaceTexts(landmarks)], build: { assetsInlineLimit: 0 } },
  transformHtml: (html, _, { page }) => relativePage(html, page),
});
