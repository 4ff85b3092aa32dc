import type { GreyImage } from "../images/grey-image.js";
import { encodePng } from "./encode-png.js";

/** A picture as the address of an <img>, with all its bytes. */
export function pngDataUrl(image: GreyImage): string {
  let binary = "";
  for (const byte of encodePng(image)) binary += String.fromCharCode(byte);
  return `data:image/png;base64,${btoa(binary)}`;
}
