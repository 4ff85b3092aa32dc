import { GaussianizeError } from "../src/errors.js";

/**
 * A file beside the page, or a sentence: browsers say "Failed to fetch", each in its own words.
 * `what` is what an error calls it: "The density gdn-25.safetensors".
 */
export async function fetchBytes(url: string, what: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(response.statusText);
    // It may also break off in the middle.
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new GaussianizeError("network-failed", `${what} could not be loaded.`, { cause: error });
  }
}
