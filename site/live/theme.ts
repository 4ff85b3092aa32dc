/** Gives the live examples the theme of the page: VitePress marks a dark page with a class. */
import { theme } from "../../lab/theme.js";

/** Returns a function that ends it. */
export function followTheme(element: HTMLElement): () => void {
  const page = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = (): void => {
    const isDark = page.classList.contains("dark");
    const name = isDark === system.matches ? "system" : isDark ? "dark" : "light";
    // First the colours, because plots read them when the theme changes.
    element.dataset.theme = name;
    theme.value = name;
  };
  const observer = new MutationObserver(follow);
  observer.observe(page, { attributeFilter: ["class"] });
  system.addEventListener("change", follow);
  follow();
  return () => {
    observer.disconnect();
    system.removeEventListener("change", follow);
  };
}
