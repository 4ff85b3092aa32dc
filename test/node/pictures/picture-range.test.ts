import { expect, test } from "vitest";
import { pictureRange } from "../../../node/pictures/picture-range.js";

test("the range of a picture is that of all channels", () => {
  const channels = [Float32Array.of(3, 5), Float32Array.of(-2, 4), Float32Array.of(1, 7)];
  expect(pictureRange({ channels })).toEqual({ lowest: -2, highest: 7 });
  expect(pictureRange({ channels: [Float32Array.of(4)] })).toEqual({ lowest: 4, highest: 4 });
});
