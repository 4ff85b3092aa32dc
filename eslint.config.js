import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";
import { importDirection } from "./scripts/lint/import-direction.js";
import { portableNumbers } from "./scripts/lint/portable-numbers.js";

export default defineConfig(
  {
    // kernels/ is AssemblyScript: its compiler is its linter.
    ignores: ["dist/", "coverage/", "kernels/", "src/kernels/wasm/generated/"],
  },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: dirname(fileURLToPath(import.meta.url)),
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // Numbers and booleans print the same in every template; objects do not, and stay forbidden.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      // Loops keep the index of the paper, which several arrays share.
      "@typescript-eslint/prefer-for-of": "off",
      // Indexing is not checked (tsconfig.json), so `!` is rarely needed; a few places earn it.
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/non-nullable-type-assertion-style": "off",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    extends: [tseslint.configs.strict],
  },
  {
    files: ["src/**", "node/**", "browser/**", "cli/**", "lab/**", "paper/**", "bench/**"],
    plugins: { gaussianize: { rules: { "import-direction": importDirection } } },
    rules: { "gaussianize/import-direction": "error" },
  },
  {
    files: ["src/**", "node/**", "browser/**", "cli/**", "lab/**", "paper/**"],
    // The Float64 specification is written to be read; its numbers are neither shown nor saved.
    ignores: ["src/kernels/reference/**"],
    plugins: { portable: { rules: { numbers: portableNumbers } } },
    rules: { "portable/numbers": "error" },
  },
  {
    // Tests assert that values exist; configurations print messages.
    files: ["test/**", "*.config.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off", "no-console": "off" },
  },
);
