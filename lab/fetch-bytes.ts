import { GaussianizeError } from "../src/errors.js";

/**
 * Fetches a file of the page. Its error is the same in every browser; `what` names the file in it:
 * "The density gdn-25.safetensors".
 */
export async function fetchBytes(url: string, what: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(response.statusText);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new GaussianizeError("network-failed", `${what} could not be loaded.`, { cause: error });
  }
}
