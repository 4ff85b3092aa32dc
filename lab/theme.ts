/** Light or dark: as the system has it, until somebody chooses. */
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
    // Where nothing may be kept, the choice lasts as long as the page.
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
