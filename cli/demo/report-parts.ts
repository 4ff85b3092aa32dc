/** What the sections of the demo's report have in common. */
import type { Picture, ReportBlock, Text } from "../../src/index.js";

/** Wide pictures stand alone in their row. */
export function wide(picture: Picture, caption?: Text): ReportBlock {
  return { kind: "figures", figures: [picture], ...(caption === undefined ? {} : { caption }) };
}
