import { expect, test } from "vitest";
import { peersTable } from "../../bench/peers.js";

const engine = {
  engine: "Node",
  ours: { n64: 40_000, n256: 1000 },
  theirs: { autodiff: { n64: 250, n256: 3.21 }, inverse: { n64: 500, n256: 6.25 } },
  ratio: { n64: 80, n256: 160 },
};

test("peersTable lists engines and native code, if they were measured", () => {
  const { ratio } = engine;
  const jaxJs = { version: "0.1", node: engine, chromium: null, ratio };
  const without = peersTable({ jaxJs, native: null });
  expect(without).toContain("| n256, Node | 1,000 | 3.2 | 6.3 | 160× |");
  expect(without).toContain("Native code was not measured.");
  const native = {
    compiler: "cc -O3",
    gigaflops: { n64: 60, n256: 80 },
    ourGigaflops: { n64: 30, n256: 60 },
    ratio: { n64: 0.5, n256: 0.75 },
  };
  const chromium = { ...engine, engine: "Chromium" };
  const all = peersTable({ jaxJs: { ...jaxJs, chromium }, native });
  expect(all).toContain("| n64, Chromium | 40,000 | 250.0 | 500.0 | 80× |");
  expect(all).toContain("| n256 | 60.0 | 80.0 | 75 % |");
});
