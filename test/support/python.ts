/** Exchange with Python: one that has numpy, and .npz files as numpy.lib.format describes them. */
import { unzipSync } from "fflate";
import { spawnSync } from "node:child_process";
import { expect } from "vitest";

/** An installed Python first, then Debian's. */
const known = ["python3", "/usr/bin/python3", "python"];

/**
 * Returns the first Python with numpy. A missing one fails if CI requires it; `.ci/run` reports
 * when it could not be installed.
 */
export function pythonWithNumpy(): string | undefined {
  const found = known.find((python) => spawnSync(python, ["-c", "import numpy"]).status === 0);
  if (found === undefined && process.env.CI && !process.env.GAUSSIANIZE_WITHOUT_NUMPY) {
    throw new Error("Python with numpy is missing: .ci/run installs Debian's python3-numpy.");
  }
  return found;
}

export interface LoadedArray {
  readonly type: string;
  readonly shape: readonly number[];
  readonly values: readonly number[];
  readonly text: string;
}

export function readNpz(npz: Uint8Array): Record<string, LoadedArray> {
  const files = Object.entries(unzipSync(npz));
  return Object.fromEntries(files.map(([name, file]) => [name.replace(/\.npy$/, ""), load(file)]));
}

function load(file: Uint8Array): LoadedArray {
  const bytes = Buffer.from(file);
  expect([...bytes.subarray(0, 8)]).toEqual([0x93, ...Buffer.from("NUMPY"), 1, 0]);
  const start = 10 + bytes.readUInt16LE(8);
  expect(start % 64).toBe(0);
  const header = bytes.toString("latin1", 10, start);
  const pattern = /^\{'descr': '([^']+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n$/;
  const [, type, tuple] = pattern.exec(header) as unknown as [string, string, string];
  // Python tuples: (3,) needs its comma, (2, 3) and () do not.
  if (/^\d+$/.test(tuple)) throw new Error(`(${tuple}) is a number, not a tuple`);
  const shape = tuple
    .split(",")
    .filter((size) => size.trim() !== "")
    .map(Number);
  const data = bytes.subarray(start);
  if (type.startsWith("|S")) {
    expect(data.length).toBe(Number(type.slice(2)));
    return { type, shape, values: [], text: data.toString("utf8") };
  }
  const width = Number(type.slice(2));
  const values = Array.from({ length: data.length / width }, (_, k) => {
    if (type === "<f8") return data.readDoubleLE(8 * k);
    return type === "<f4" ? data.readFloatLE(4 * k) : data.readInt32LE(4 * k);
  });
  expect(values.length).toBe(shape.reduce((product, size) => product * size, 1));
  return { type, shape, values, text: "" };
}
