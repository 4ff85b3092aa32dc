import { describe, expect, test } from "vitest";
import { type Picture, matchChannels, pictureRange } from "../../../node/pictures/picture.js";

const pictureOf = (...channels: readonly (readonly number[])[]): Picture => ({
  width: 2,
  height: 1,
  alpha: null,
  bitDepth: 8,
  format: "png",
  isLossy: false,
  channels: channels.map((values) => Float32Array.from(values)),
  metadata: {},
  source: "a.png",
});
const grey = pictureOf([0.25, 0.5]);
const greyInColours = pictureOf([1, 0], [1, 0], [1, 0]);
const colours = pictureOf([1, 0], [1, 0], [1, 0.5]);

describe("matchChannels", () => {
  test("repeats the grey of one channel for grey in three", () => {
    const { channels } = matchChannels(grey, greyInColours);
    expect(channels.map((values) => [...values])).toEqual([
      [0.25, 0.5],
      [0.25, 0.5],
      [0.25, 0.5],
    ]);
  });

  test("takes one of three equal channels for grey in one", () => {
    const { channels } = matchChannels(greyInColours, grey);
    expect(channels.map((values) => [...values])).toEqual([[1, 0]]);
  });

  test("converts neither colours to grey nor grey to colours", () => {
    expect(matchChannels(colours, grey)).toBe(colours);
    expect(matchChannels(grey, colours)).toBe(grey);
    expect(matchChannels(greyInColours, colours)).toBe(greyInColours);
  });
});

test("pictureRange covers all channels", () => {
  const channels = [Float32Array.of(3, 5), Float32Array.of(-2, 4), Float32Array.of(1, 7)];
  expect(pictureRange({ channels })).toEqual({ lowest: -2, highest: 7 });
  expect(pictureRange({ channels: [Float32Array.of(4)] })).toEqual({ lowest: 4, highest: 4 });
});
