import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, inject, test } from "vitest";

const mostMegabytes = 9;
const root = join(inject("project"), "node_modules/gaussianize");
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(root, join(entry.parentPath, entry.name)));

test(`the tarball has at most ${mostMegabytes} MB`, () => {
  const megabytes = statSync(inject("tarball")).size / 1e6;
  console.log(`The tarball has ${megabytes.toFixed(2)} MB.`);
  expect(megabytes, "size in MB").toBeLessThanOrEqual(mostMegabytes);
});

describe("the package", () => {
  test("holds the command, library, lab, model files, Python reader and docs only", () => {
    const others = files.filter(
      (name) =>
        !/^(README\.md|LICENSE|CHANGELOG\.md|package\.json)$/.test(name) &&
        !/^dist\/(src|node|browser|cli|paper)\/.*\.(js|d\.ts)$/.test(name) &&
        !/^dist\/lab\/.*\.(html|svg|js|css|md|json|txt|webp|woff2)$/.test(name) &&
        !/^dist\/gaussianize\.min\.(js|licences\.md)$/.test(name) &&
        !/^(priors|models)\/.*\.(safetensors|md)$/.test(name) &&
        !/^docs\/\w[^/]*\.md$/.test(name) &&
        name !== "python/gaussianize.py",
    );
    expect(others).toEqual([]);
  });

  test("holds no file twice", () => {
    const names = new Map<string, string[]>();
    for (const name of files) {
      const bytes = readFileSync(join(root, name));
      if (bytes.length < 1000) continue;
      const digest = createHash("sha256").update(bytes).digest("hex");
      names.set(digest, [...(names.get(digest) ?? []), name]);
    }
    expect([...names.values()].filter((same) => same.length > 1)).toEqual([]);
  });

  test("has no broken links between its pages", () => {
    const broken = files
      .filter((name) => name.endsWith(".md") && !name.startsWith("dist/"))
      .flatMap((page) =>
        [...readFileSync(join(root, page), "utf8").matchAll(/\]\(([^)#]+)[^)]*\)/g)]
          .map(([, target]) => target)
          // Figures stay in the repository.
          .filter((target) => !/^http|\.(png|svg)$/.test(target))
          .filter((target) => !existsSync(join(root, dirname(page), target)))
          .map((target) => `${page} → ${target}`),
      );
    expect(broken).toEqual([]);
  });
});
