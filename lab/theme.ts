/** Light or dark theme; the system's until the user chooses one. */
import { effect, signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const key = "gaussianize-lab-theme";

export const theme = signal<Theme>(storedTheme());

effect(() => {
  document.documentElement.dataset.theme = theme.value;
  try {
    localStorage.setItem(key, theme.value);
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
});

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return themes.find((name) => name === stored) ?? "system";
  } catch {
    return "system";
  }
}
