import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, RandomStream, type RandomState } from "../../src/random/random-stream.js";
import { refusal } from "../support/expect-error.js";

const draw = (random: RandomStream, count = 5): number[] =>
  Array.from({ length: count }, () => random.uniform());

describe("seeds and purposes", () => {
  test("a number, a bigint and their text are the same seed", () => {
    expect(draw(createRandom(7))).toEqual(draw(createRandom("7")));
    expect(draw(createRandom(7n))).toEqual(draw(createRandom("7")));
    expect(draw(createRandom(7))).not.toEqual(draw(createRandom(8)));
  });

  test("purposes at creation and child streams are equivalent", () => {
    const direct = draw(createRandom(1, "epoch", 3));
    expect(draw(createRandom(1).stream("epoch", 3))).toEqual(direct);
    expect(draw(createRandom(1).stream("epoch").stream(3))).toEqual(direct);
  });

  test("distinguishes different splits of the same text into purposes", () => {
    expect(draw(createRandom(1, "ab", "c"))).not.toEqual(draw(createRandom(1, "a", "bc")));
    expect(draw(createRandom(1, "a", ""))).not.toEqual(draw(createRandom(1, "a")));
  });

  test("other streams and earlier draws do not change a child's numbers", () => {
    const alone = draw(createRandom(1).stream("noise"));
    const parent = createRandom(1);
    draw(parent, 100);
    draw(parent.stream("another consumer"), 100);
    expect(draw(parent.stream("noise"))).toEqual(alone);
  });

  test("creating a child does not change the parent's numbers", () => {
    const parent = createRandom(1);
    parent.stream("noise").normal();
    expect(draw(parent)).toEqual(draw(createRandom(1)));
  });

  test("100,000 related purposes start 100,000 different generators", () => {
    const root = createRandom(0);
    const starts = new Set<string>();
    for (let i = 0; i < 100_000; i += 1) starts.add(root.stream("chunk", i).state().words.join());
    expect(starts.size).toBe(100_000);
  });

  test("rejects a seed that is not finite", () => {
    expect(() => createRandom(NaN)).toThrow(
      refusal("a seed or purpose", "be a finite number or a text", NaN),
    );
  });
});

describe("state", () => {
  test("survives JSON and continues every kind of number, whatever was drawn before", () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.nat(50), (seed, purpose, drawn) => {
        const random = createRandom(seed, purpose);
        random.normalFill(new Float32Array(drawn));
        const saved = JSON.parse(JSON.stringify(random.state())) as RandomState;
        const resumed = RandomStream.fromState(saved);
        expect(draw(resumed)).toEqual(draw(random));
        expect(resumed.normal()).toBe(random.normal());
        expect(resumed.permutation(9)).toEqual(random.permutation(9));
        expect(draw(resumed.stream("child"))).toEqual(draw(random.stream("child")));
      }),
      { seed: 1 },
    );
  });

  test("is rejected with an unknown algorithm or invalid words", () => {
    const state = createRandom(1).state();
    const other = { ...state, algorithm: "mersenne" } as unknown as RandomState;
    expect(() => RandomStream.fromState(other)).toThrow(
      refusal("the algorithm of a random state", 'be "xoroshiro128plus-1"', "mersenne"),
    );
    for (const words of [
      [1, 2, 3],
      [0, 0, 0, 0],
      [1, 2, 3, 0.5],
      [1, 2, 3, 2 ** 32],
    ]) {
      expect(() => RandomStream.fromState({ ...state, words })).toThrow("four 32-bit integers");
    }
  });
});

describe("golden values", () => {
  // These only detect changes, which would break every saved seed.
  test("the numbers of seed 1 have not changed", () => {
    expect(createRandom(1).state().words).toMatchInlineSnapshot(`
      [
        -1572247426,
        -1428698309,
        1493967437,
        482313166,
      ]
    `);
    expect(draw(createRandom(1), 3)).toMatchInlineSnapshot(`
      [
        0.7796525372514544,
        0.8216744480434228,
        0.378624019981865,
      ]
    `);
    const random = createRandom(1, "golden");
    expect([random.normal(), random.normal(), random.normal()]).toMatchInlineSnapshot(`
      [
        -0.4905439480241179,
        0.5575301758748368,
        2.8398695982889453,
      ]
    `);
    expect(Array.from(createRandom(1).permutation(10))).toMatchInlineSnapshot(`
      [
        6,
        9,
        1,
        4,
        0,
        7,
        2,
        8,
        5,
        3,
      ]
    `);
    expect(createRandom(1).integer(1_000_000)).toMatchInlineSnapshot(`582153`);
  });

  test("a million normals, tails included, have not changed in any bit", () => {
    const normals = createRandom(1, "golden").normalFill(new Float64Array(1_000_000));
    let checksum = 0;
    for (const word of new Uint32Array(normals.buffer)) {
      checksum = (Math.imul(checksum, 0x01000193) ^ word) >>> 0;
    }
    expect(checksum).toMatchInlineSnapshot(`3636485014`);
  });
});
