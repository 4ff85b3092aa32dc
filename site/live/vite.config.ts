/** Builds the lab into dist/site/lab, together with the live examples, which share its files. */
import { fileURLToPath } from "node:url";
import { mergeConfig } from "vite";
import lab from "../../lab/vite.config.js";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default mergeConfig(lab, {
  build: {
    outDir: here("../../dist/site/lab"),
    emptyOutDir: true,
    rolldownOptions: {
      input: { index: here("../../lab/index.html"), live: here("main.ts") },
      preserveEntrySignatures: "strict",
      output: {
        // The pages import this file by its name.
        entryFileNames: ({ name }: { name: string }) =>
          name === "live" ? "live.js" : "assets/[name]-[hash].js",
      },
    },
  },
});
