/**
 * ESLint rule: the tree is the data flow. A folder of src/ imports only the folders before it and
 * the foundations. Shells import modules of src/ and the adapters, but not the lists of exports,
 * because loading the whole library would delay every command. The rule checks static, dynamic and
 * type imports and re-exports (no-restricted-imports would miss `import()`).
 */
import { posix, relative, sep } from "node:path";
import { isBuiltin } from "node:module";

/** Folders of src/ in the order of the data flow: each may import those before it. */
const dataFlow = [
  "images",
  "preprocessing",
  "patches",
  "wavelets",
  "transforms",
  "density",
  "training",
  "denoising",
  "evaluation",
  "figures",
  "runs",
];

/** Foundations, which every folder may import, and what each may import itself. */
/** @type {Record<string, string[]>} */
const foundations = {
  "errors.ts": [],
  numbers: ["errors.ts"],
  fourier: ["numbers", "errors.ts"],
  random: ["numbers", "errors.ts"],
  kernels: ["errors.ts"],
  parallel: ["kernels", "errors.ts"],
};

/** List of the jobs of all folders, for the workers. */
const jobList = "src/jobs.ts";
const core = [...Object.keys(foundations), ...dataFlow].map((unit) => `src/${unit}`);
/** Lists of exports, which users import. */
const publicApi = ["src/index.ts", "src/entry-points"];
/** Folders outside src/: what each may import, and whether it may use Node's modules. */
/** @type {Record<string, {imports: string[], node: boolean}>} */
const outside = {
  node: { imports: [jobList, ...core], node: true },
  browser: { imports: [jobList, ...core], node: false },
  // `gaussianize paper` runs the experiments; they must not import the command.
  cli: { imports: [...core, "node", "paper"], node: true },
  // Benchmarks measure internal parts, and use the browser of the tests.
  bench: { imports: [...core, "node", "browser", "test"], node: true },
  paper: { imports: [...core, "node"], node: true },
  lab: { imports: [...core, "browser"], node: false },
  // The build configuration is not part of the page.
  "lab/vite.config.ts": { imports: ["node"], node: true },
};

/**
 * Returns the unit of a file: "src/density", "src/errors.ts", "node", "cli" …
 * @param {string} file relative to the project, with forward slashes
 */
function unitOf(file) {
  if (file in outside) return file;
  const [top, second = ""] = file.split("/");
  return top === "src" ? `src/${second.replace(/\.js$/, ".ts")}` : top;
}

/**
 * @param {string} unit
 * @returns {{imports: string[], node: boolean} | undefined} undefined: not restricted
 */
function permissionsOf(unit) {
  if (publicApi.includes(unit) || unit === jobList) return { imports: core, node: false };
  if (unit in outside) return outside[unit];
  if (!unit.startsWith("src/")) return undefined;
  const name = unit.slice("src/".length);
  const earlier = dataFlow.slice(0, Math.max(0, dataFlow.indexOf(name)));
  const imports = foundations[name] ?? [...Object.keys(foundations), ...earlier];
  return { imports: imports.map((other) => `src/${other}`), node: false };
}

/** @type {import("eslint").Rule.RuleModule} */
export const importDirection = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      direction: "{{from}} may not import {{to}}: it may import {{allowed}}.",
      node: "{{from}} may not import {{to}}: it must run in browsers too.",
      unknown: "{{from}} is not in the table of scripts/lint/import-direction.js: add it there.",
    },
  },
  create(context) {
    const file = relative(context.cwd, context.filename).split(sep).join("/");
    const from = unitOf(file);
    const permissions = permissionsOf(from);
    if (!permissions) return {};

    /** @param {import("estree").Node | null | undefined} source */
    const check = (source) => {
      if (source?.type !== "Literal" || typeof source.value !== "string") return;
      const specifier = source.value;
      if (isBuiltin(specifier) && !permissions.node) {
        context.report({ node: source, messageId: "node", data: { from, to: specifier } });
      }
      if (!specifier.startsWith(".")) return;
      const to = unitOf(posix.join(posix.dirname(file), specifier));
      if (to === from || permissions.imports.includes(to)) return;
      const allowed = permissions.imports.join(", ") || "nothing of this project";
      context.report({ node: source, messageId: "direction", data: { from, to, allowed } });
    };

    return {
      Program(node) {
        if (from.startsWith("src/") && ![...publicApi, jobList, ...core].includes(from)) {
          context.report({ node, messageId: "unknown", data: { from } });
        }
      },
      ImportDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      /** `import("./x.js").Name` in a type. @param {any} node */
      TSImportType: (node) => check(node.source ?? node.argument?.literal),
    };
  },
};
