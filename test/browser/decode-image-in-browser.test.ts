import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Luminance } from "../../src/images/luminance.js";
import { decodeImage } from "gaussianize/node";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { expectClose } from "../support/expect-close.js";
import { temporaryFolder } from "../support/folders.js";
import { pngBytes } from "../support/picture-bytes.js";
import { type PageScope, launchBeforeTests, limitInMilliseconds, openPage } from "./in-chromium.js";
import type { Decoded } from "./page/decoding.js";

launchBeforeTests();

const folder = await temporaryFolder("decode-in-browser");

interface Given {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly luminance?: Luminance;
  readonly place?: "decode" | "decodeInWorker";
}

function inBrowser(page: Page, given: Given): Promise<Decoded> {
  const { bytes, name = "picture.png", luminance = "grey", place = "decode" } = given;
  return page.evaluate(([at, picture]) => (globalThis as PageScope).page[at](picture), [
    place,
    { bytes: [...bytes], name, luminance },
  ] as const);
}

/** Decodes in Node, with the name that the page uses. */
async function inNode({ bytes, name = "picture.png", luminance = "grey" }: Given) {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const { pixels, ...rest } = await decodeImage(path, luminance);
  return { ...rest, source: name, pixels: [...pixels] };
}

const size = { width: 31, height: 17 } as const;
const samplesOf = (channels: number): Uint8Array =>
  Uint8Array.from({ length: size.width * size.height * channels }, (_, k) => (k * k * 31) % 256);

/** Expects no complaints but warnings about software WebGL. */
function expectNoComplaints(complaints: readonly string[]): void {
  expect(complaints.filter((text) => !/WebGL|GPU stall/i.test(text))).toEqual([]);
}

describe("decodeImage in Chromium", { timeout: limitInMilliseconds }, () => {
  const kinds = [
    ["grey", 1],
    ["grey and alpha", 2],
    ["RGB", 3],
    ["RGB and alpha", 4],
  ] as const;
  test.for(kinds)("decodes a PNG (%s) with the bits of Node", async ([, channels], context) => {
    const { page, complaints } = await openPage(context);
    const bytes = pngBytes({ ...size, depth: 8, channels, samples: samplesOf(channels) });
    for (const luminance of ["grey", "linear"] as const) {
      const wanted = await inNode({ bytes, luminance });
      for (const place of ["decode", "decodeInWorker"] as const) {
        expect(await inBrowser(page, { bytes, luminance, place })).toEqual(wanted);
      }
    }
    expectNoComplaints(complaints);
  });

  test("decodes a JPEG within a level of Node, and rotates it", async (context) => {
    const { page, complaints } = await openPage(context);
    const smooth = sharp(samplesOf(3), { raw: { ...size, channels: 3 } }).resize(48, 32);
    const bytes = await smooth.jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const { pixels: wanted, ...about } = await inNode({ bytes });
    const { pixels, ...rest } = (await inBrowser(page, { bytes })) as Exclude<Decoded, string>;
    expect(rest).toEqual(about);
    expect([rest.width, rest.height]).toEqual([32, 48]);
    expectClose(pixels, wanted, { absolute: 1.001 / 255 });
    expectNoComplaints(complaints);
  });

  test("reduces 16 bits to 8", async (context) => {
    const { page } = await openPage(context);
    const samples = Uint16Array.from({ length: 17 * 31 }, (_, k) => (k * 1237) % 65536);
    const bytes = pngBytes({ ...size, depth: 16, channels: 1, samples });
    const decoded = (await inBrowser(page, { bytes })) as Exclude<Decoded, string>;
    expect([decoded.depth, decoded.levels]).toEqual([8, 256]);
    const wanted = (await inNode({ bytes })).pixels;
    expectClose(decoded.pixels, wanted, { absolute: 1 / 255 });
  });

  test("tells .iml by its name", async (context) => {
    const { page } = await openPage(context);
    expect(await inBrowser(page, { bytes: Uint8Array.of(1, 2, 3), name: "imk1.iml" })).toBe(
      "GaussianizeError: Expected imk1.iml to have 3145728 bytes (1536×1024 pixels of 16 bits) but received 3.",
    );
  });

  test("rejects files that are not pictures", async (context) => {
    const { page, complaints } = await openPage(context);
    const reason = "it is damaged, or its format is not supported.";
    const text = new TextEncoder().encode("not a picture");
    const png = pngBytes({ ...size, depth: 8, channels: 1, samples: samplesOf(1) });
    const cut = png.subarray(0, png.length >> 1);
    expect(await inBrowser(page, { bytes: text })).toBe(
      `GaussianizeError: Cannot read picture.png as a picture: ${reason}`,
    );
    expect(await inBrowser(page, { bytes: cut, name: "" })).toBe(
      `GaussianizeError: Cannot read the picture as a picture: ${reason}`,
    );
    expect(await inBrowser(page, { bytes: new Uint8Array() })).toBe(
      "GaussianizeError: Cannot read picture.png: it is empty.",
    );
    expect(await inBrowser(page, { bytes: png, luminance: "red" as "grey" })).toBe(
      'GaussianizeError: Expected luminance to be "grey" or "linear" but received "red".',
    );
    expectNoComplaints(complaints);
  });
});
