/**
 * The live examples of the front page: components and jobs of the lab, built together with it.
 * Each example is loaded when it is first shown.
 */
import { type ComponentType, h, render } from "preact";
import baseStyle from "../../lab/styles/base.css?inline";
import controlsStyle from "../../lab/styles/controls.css?inline";
import { followTheme } from "./theme.js";

interface ExampleModule {
  readonly Example: ComponentType;
  /** CSS texts. */
  readonly styles: readonly string[];
}

const examples: Readonly<Record<string, () => Promise<ExampleModule>>> = {
  pairs: () => import("./pairs-example.js"),
  samples: () => import("./samples-example.js"),
  denoise: () => import("./denoise-example.js"),
};

/** Shows an example in an element, and returns a function that ends it. */
export async function showExample(name: string, element: HTMLElement): Promise<() => void> {
  const { Example, styles } = await examples[name]();
  // The styles of the lab must not reach the page, nor those of the page the example.
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [baseStyle, controlsStyle, ...styles].map(sheetOf);
  const stop = followTheme(element);
  render(h(Example, {}), root);
  return () => {
    stop();
    render(null, root);
  };
}

/** Within an example, the element takes the place of the lab's page. */
function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    text.replace(/:root(\[[^\]]*\])?/g, (_, attribute?: string) =>
      attribute === undefined ? ":host" : `:host(${attribute})`,
    ),
  );
  return sheet;
}
