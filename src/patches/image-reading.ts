/** From the pixels of an image to samples: all that must be known of it, kept in the model file so that nobody has to say it twice. */
import { expected } from "../errors.js";
import type { Luminance } from "../images/luminance.js";
import type { PatchLayout } from "./patch-layout.js";

/** What the file of a model says of it, under `patch` and `preprocessing`. */
export interface AboutReading {
  readonly patch: {
    readonly width: number;
    readonly height: number;
    readonly luminance: Luminance;
    readonly removeMean: boolean;
    /** Where patches keep their mean, values are those of pixels. */
    readonly black?: number;
    readonly white?: number;
  };
  readonly preprocessing: {
    readonly dequantization: "uniform" | "none";
    readonly noiseLevel?: number;
  };
}

export interface ImageReading {
  /** One value a pixel, from 0 to 1. */
  readonly luminance: Luminance;
  /** Whether the codes of a pixel are spread evenly over their intervals (preprocessing/dequantize.ts). */
  readonly dequantize: boolean;
  /** Standard deviation of the white noise that is added to the pixels, for a density of noisy patches; left out: none. */
  readonly noiseLevel?: number;
  readonly layout: PatchLayout;
}

/**
 * What the literature agreed on, so that likelihoods can be compared: grey values 0 … 255 with uniform noise in [0, 1), divided by
 * 256, as 8×8 patches.
 *
 *   bsds63   without their mean and the last pixel (Uria, Murray & Larochelle 2013), in nats
 *   bsds64   as they are (Theis & Bethge 2015, middle column of table 1), in bits per pixel
 */
export const protocols = {
  bsds63: { luminance: "grey", dequantize: true, layout: { size: 8, removeMean: true } },
  bsds64: { luminance: "grey", dequantize: true, layout: { size: 8, removeMean: false } },
} as const satisfies Readonly<Record<string, ImageReading>>;

export type ProtocolName = keyof typeof protocols;

export function protocolOf(name: string): ImageReading {
  if (Object.hasOwn(protocols, name)) return protocols[name as ProtocolName];
  throw expected("the protocol", `be one of ${Object.keys(protocols).join(", ")}`, name);
}

export function aboutReading(reading: ImageReading): AboutReading {
  const { luminance, dequantize, noiseLevel = 0, layout } = reading;
  const { size, removeMean } = layout;
  const range = removeMean ? {} : { black: 0, white: 1 };
  return {
    patch: { width: size, height: size, luminance, removeMean, ...range },
    preprocessing: {
      dequantization: dequantize ? "uniform" : "none",
      ...(noiseLevel > 0 ? { noiseLevel } : {}),
    },
  };
}
