/**
 * Lets a VitePress site work from any folder of a web host. VitePress writes absolute addresses
 * ("/assets/…") for one known folder. Here the files point to each other with relative addresses,
 * and each page finds the folder of the site from its own address when it is opened.
 */
import { posix } from "node:path";
import { type Replacement, type VitePlugin, replaceTexts } from "./replace-texts.js";

/** What a module of VitePress reads at run time, in place of the folder known at build time. */
const folderOfSite = "window.__VP_SITE_DATA__.base";

/** Texts of VitePress 1.6 that assume a known folder, and their replacements. */
const replacements: readonly Replacement[] = [
  {
    module: "/vitepress/dist/client/app/utils.js",
    text: "const base = import.meta.env.BASE_URL;",
    replacement: `const base = ${folderOfSite};`,
    isOnlyInPage: true,
  },
  {
    // The index of the search holds addresses from the root: "/docs/lab.html#the-lab".
    module: "/vitepress/dist/client/theme-default/components/VPLocalSearchBox.vue",
    text: ".slice(0, 16) as",
    replacement: `.slice(0, 16).map((found) => ({ ...found, id: ${folderOfSite} + found.id.slice(1) })) as`,
    isOnlyInPage: true,
  },
];

/** Vite plugins. */
export const anyFolder: readonly VitePlugin[] = [
  replaceTexts(replacements),
  {
    name: "any-folder",
    config: () => ({
      experimental: {
        // Pages are rendered with "/…", which relativePage() replaces.
        renderBuiltUrl: (_, { ssr }) => (ssr ? undefined : { relative: true }),
      },
    }),
  },
];

/** Returns the way from a page ("docs/lab.md") to the folder of the site: "../". */
export function rootFrom(page: string): string {
  return `${posix.relative(posix.dirname(page), ".") || "."}/`;
}

/** Makes the addresses of a rendered page relative. */
export function relativePage(html: string, page: string): string {
  const root = rootFrom(page);
  const given = /(window\.__VP_SITE_DATA__=JSON\.parse\("(?:[^"\\]|\\.)*"\);)/;
  if (!given.test(html)) {
    throw new Error(`Expected ${page} to hold the data of the site. Has VitePress changed?`);
  }
  return html
    .replace(/<[a-z][^>]*>/g, (tag) => tag.replace(/\b(href|src)="\/(?!\/)/g, `$1="${root}`))
    .replace(given, (data) => `${data}${folderOfSite}=new URL("${root}",location.href).pathname;`);
}
