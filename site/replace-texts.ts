/** Vite plugin: replaces texts in modules of VitePress for which it has no option. */
import type { UserConfig } from "vitepress";

export type VitePlugin = NonNullable<NonNullable<UserConfig["vite"]>["plugins"]>[number];

export interface Replacement {
  /** End of the module's path. */
  readonly module: string;
  /** Must occur once. */
  readonly text: string;
  readonly replacement: string;
  /** Whether only the page needs it, and not the rendering of pages. */
  readonly isOnlyInPage?: boolean;
}

export function replaceTexts(replacements: readonly Replacement[]): VitePlugin {
  return {
    name: "replace-texts",
    enforce: "pre",
    transform(code, id, options) {
      const path = id.replaceAll("\\", "/");
      const own = replacements.filter(
        ({ module, isOnlyInPage }) => path.endsWith(module) && !(isOnlyInPage && options?.ssr),
      );
      return own.length === 0 ? undefined : { code: own.reduce(replaced, code), map: null };
    },
  };
}

function replaced(code: string, { module, text, replacement }: Replacement): string {
  if (code.split(text).length !== 2) {
    throw new Error(`Expected ${module} to hold "${text}" once. Has VitePress changed?`);
  }
  return code.replace(text, () => replacement);
}
