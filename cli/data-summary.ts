/** What a public set is, and how much of it is there, for people and for programs. */
import { presentFiles } from "../node/data-folder.js";
import { type DataSet, bytesOf, filesOfSet } from "../node/data-sets.js";
import { wrapped } from "./text.js";

interface SetSummary {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly licence: string;
  readonly page: string;
  /** How to obtain it: a command, or words. */
  readonly obtain: string;
  readonly files: number;
  readonly bytes: number;
  /** Files of the right size; "gaussianize data verify" reads them. */
  readonly presentFiles: number;
  readonly present: boolean;
}

export async function summarizeSet(set: DataSet, folder: string): Promise<SetSummary> {
  const { name, title, about, licence, page, byHand } = set;
  const files = filesOfSet(set);
  const there = (await presentFiles(files, folder)).length;
  return {
    name,
    title,
    about,
    licence,
    page,
    obtain: byHand ?? `gaussianize data fetch ${name}`,
    files: files.length,
    bytes: bytesOf(files),
    presentFiles: there,
    present: there === files.length,
  };
}

export function summaryText(set: SetSummary): string {
  const lines = [
    `${set.name}: ${set.title}, ${set.files} files, ${(set.bytes / 1e6).toFixed(1)} MB, ${presence(set)}`,
    `  ${set.about}`,
    `  licence as stated: ${set.licence}`,
    `  from ${set.page}`,
    ...(set.present ? [] : [`  to obtain it: ${set.obtain}`]),
  ];
  return `${lines.map((line) => indented(line)).join("\n")}\n`;
}

function presence({ present, presentFiles: there, files }: SetSummary): string {
  if (present) return "present";
  return there === 0 ? "not there" : `only ${there} of ${files} files there`;
}

function indented(line: string): string {
  const [indent] = /^ */.exec(line) ?? [""];
  return indent + wrapped(line.trimStart(), "    ");
}
