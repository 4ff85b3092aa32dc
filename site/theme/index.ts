/** The default theme of VitePress with the fonts of the system, equations and live examples. */
import type { Theme } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import "katex/dist/katex.css";
import { defineLiveExample } from "./live-example.js";
import "./style.css";

export default {
  extends: theme,
  enhanceApp: () => {
    if (!import.meta.env.SSR) defineLiveExample();
  },
} satisfies Theme;
