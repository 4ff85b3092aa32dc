import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { KernelName } from "../../src/kernels/kernels.js";
import { loadKernels } from "../../src/kernels/load-kernels.js";
import { referenceKernels } from "../../src/kernels/reference/index.js";
import * as relaxedSimd from "../../src/kernels/wasm/generated/relaxed-simd.js";
import * as simd from "../../src/kernels/wasm/generated/simd.js";
import { enableRelaxedSimd } from "../support/relaxed-simd.js";
import { expectError } from "../support/expect-error.js";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("loadKernels", () => {
  test("chooses plain SIMD by default and reports it", async () => {
    const { kernels, reason } = await loadKernels();
    expect(kernels.name).toBe("simd");
    expect(reason).toBe("Plain SIMD runs, by default.");
  });

  test("obeys an override and reports it", async () => {
    const reference = await loadKernels({ kernels: "reference" });
    expect(reference.kernels).toBe(referenceKernels);
    expect(reference.reason).toBe("The Float64 specification runs, as asked for.");
    const asked = await loadKernels({ kernels: "simd" });
    expect(asked.reason).toBe("Plain SIMD runs, as asked for.");
  });

  test.runIf(enableRelaxedSimd())(
    "warns that relaxed SIMD bits may differ between machines",
    async () => {
      const { kernels, reason } = await loadKernels({ kernels: "relaxed-simd" });
      expect(kernels.name).toBe("relaxed-simd");
      expect(reason).toBe("Relaxed SIMD runs (bits may differ between machines), as asked for.");
    },
  );

  test("rejects an unknown name and lists the known ones", async () => {
    const load = loadKernels({ kernels: "fastest" as KernelName });
    await expectError(load, {
      code: "invalid-argument",
      argument: "kernels",
      phrase: "one of reference, simd, relaxed-simd",
    });
  });

  test("reports missing SIMD or relaxed SIMD and what to do", async () => {
    vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
    await expect(loadKernels()).rejects.toThrow(
      'This JavaScript engine does not support WebAssembly SIMD. Use the kernels "reference".',
    );
    await expect(loadKernels({ kernels: "relaxed-simd" })).rejects.toThrow(
      "This JavaScript engine does not support relaxed SIMD.",
    );
    await expect(loadKernels({ kernels: "reference" })).resolves.toBeDefined();
  });
});

describe("the compiled kernels", () => {
  test("have less than 100000 bytes together, and record their lengths", () => {
    expect(simd.byteLength + relaxedSimd.byteLength).toBeLessThan(100_000);
    for (const { byteLength, bytesBase64 } of [simd, relaxedSimd]) {
      expect(Buffer.from(bytesBase64, "base64").length).toBe(byteLength);
    }
  });

  test("record the installed compiler", () => {
    const { version } = JSON.parse(
      readFileSync(
        new URL("../../node_modules/assemblyscript/package.json", import.meta.url),
        "utf8",
      ),
    ) as { version: string };
    for (const { compiler } of [simd, relaxedSimd]) {
      expect(compiler).toBe(`assemblyscript ${version}`);
    }
    expect(simd.features).toEqual(["simd"]);
    expect(relaxedSimd.features).toEqual(["simd", "relaxed-simd"]);
  });

  test("import only a memory", async () => {
    const module = await WebAssembly.compile(Buffer.from(simd.bytesBase64, "base64"));
    expect(WebAssembly.Module.imports(module)).toEqual([
      { module: "env", name: "memory", kind: "memory" },
    ]);
  });
});
