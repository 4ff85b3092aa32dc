/** TypeDoc plugin: adds links from each page of the API reference to the rest of the site. */
import { JSX } from "typedoc";

const links = { "../index.html": "gaussianize", "../docs/library.html": "Guide to the library" };

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.renderer.hooks.on("body.begin", ({ relativeURL }) =>
    JSX.createElement(
      "nav",
      { class: "site-links", "aria-label": "Site" },
      ...Object.entries(links).map(([page, text]) =>
        JSX.createElement("a", { href: relativeURL(page) ?? page }, text),
      ),
    ),
  );
}
