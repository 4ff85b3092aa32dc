import { describe, expect, test } from "vitest";
import { stablySorted } from "../../../src/evaluation/mutual-information/ranks.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { seed } from "../../support/seed.js";

describe(`stablySorted, seed ${seed}`, () => {
  const random = createRandom(seed, "sort");
  const lists = {
    "of either sign and any size": Array.from({ length: 3000 }, () => random.normal() ** 41),
    "with many ties": Array.from({ length: 3000 }, () => random.integer(7) - 3),
    "that are all the same": new Array<number>(20).fill(-2.5),
    "at the limits": [Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -5e-324, 0, 1, -1, 1 + Number.EPSILON],
  }; // prettier-ignore

  test.each(Object.entries(lists))("orders values %s as a stable sort does", (_, list) => {
    const values = Float64Array.from(list);
    const order = random.permutation(values.length);
    const expected = Array.from(order).sort((a, b) => values[a] - values[b]);
    expect(Array.from(stablySorted(order, values))).toEqual(expected);
  });
});
