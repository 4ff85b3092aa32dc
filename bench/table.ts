import { thousands } from "../src/numbers/format-number.js";

/** A Markdown table with an empty line after it; `head` has its labels, separated by " | ". */
export function table(head: string, rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const labels = head.split(" | ");
  return [line(labels), line(labels.map(() => "---")), ...rows.map(line), ""].join("\n");
}

/** A rounded number with separators. */
export function whole(value: number): string {
  return thousands(Math.round(value));
}
