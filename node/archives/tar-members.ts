/**
 * What is in a tar archive, in one pass over its headers; contents are passed over unless somebody
 * asks for them.
 */
import { GaussianizeError } from "../../src/errors.js";
import { abortError } from "../../src/parallel/abort-error.js";
import { compressedError, isCompressed } from "../image-endings.js";
import type { BufferedFile } from "./buffered-file.js";
import {
  type TarExtension,
  type TarHeader,
  blockBytes,
  isEndBlock,
  parseHeader,
  parseLongName,
  parsePax,
} from "./tar-header.js";

export interface TarMember {
  /** With "/" between folders, without "./" before them. */
  readonly name: string;
  /** Where its content is. */
  readonly offset: number;
  readonly bytes: number;
  /** Why it has no content of its own, to continue "it is …". */
  readonly trouble?: string;
}

/** Names are short; a record that claims more is none. */
const mostBytesOfRecord = 2 ** 20;

const troubles: Readonly<Partial<Record<string, string>>> = {
  "1": "a hard link to another member",
  "2": "a symbolic link",
  S: "a sparse file",
};
/** Files, in the words of three programs. */
const fileTypes = ["0", "7"];

/**
 * Files and links, in their order. An archive that is incomplete, or no archive, ends with an
 * error: what came before is sound. Zeros are passed over wherever a header could be, as by tar
 * --ignore-zeros, since archives may have been put one after the other (cat a.tar b.tar): nothing
 * is lost without a word.
 *
 * @throws GaussianizeError with a sentence that names the archive
 */
export async function* tarMembers(
  file: BufferedFile,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<TarMember> {
  let extension: TarExtension = {};
  for (let at = 0; at < file.bytes;) {
    if (signal?.aborted) throw abortError(signal);
    const block = await file.at(at, blockBytes);
    if (isEndBlock(block)) {
      extension = {};
      at += blockBytes;
      continue;
    }
    if (at === 0 && isCompressed(block)) throw compressedError(path);
    if (block.length < blockBytes) throw incomplete(path, "in the middle of a header");
    const header = parseHeader(block);
    if (!header) throw noHeader(path, at);
    const bytes = isRecord(header) ? header.bytes : contentBytes(header, extension);
    const name = (extension.name ?? header.name).replace(/^(\.?\/+)+/, "");
    const offset = at + blockBytes + (await bytesOfMaps(file, at, header));
    if (offset + bytes > file.bytes) {
      const claim = `${path}:${name} claims ${bytes} bytes`;
      const rest = Math.max(0, file.bytes - offset);
      throw incomplete(path, `where ${claim}, of which ${rest} are there`);
    }
    if (isRecord(header)) {
      extension = { ...extension, ...(await recordOf(file, path, header, offset)) };
    } else {
      const trouble = extension.isSparse ? troubles.S : troubles[header.type];
      if (trouble !== undefined) yield { name, offset, bytes, trouble };
      else if (fileTypes.includes(header.type)) yield { name, offset, bytes };
      extension = {};
    }
    at = offset + Math.ceil(bytes / blockBytes) * blockBytes;
  }
}

/**
 * Links, folders and devices have none, whatever number is in their header; but a hard link may,
 * where POSIX's record says so.
 */
function contentBytes({ type, bytes }: TarHeader, extension: TarExtension): number {
  if ("23456".includes(type)) return 0;
  return extension.bytes ?? (type === "1" ? 0 : bytes);
}

/**
 * Of a sparse file in GNU's format, the blocks between header and content that say where its holes
 * are.
 */
async function bytesOfMaps(file: BufferedFile, at: number, { type }: TarHeader): Promise<number> {
  if (type !== "S") return 0;
  let isMore = (await file.at(at, blockBytes))[482] !== 0;
  let blocks = 0;
  while (isMore) {
    blocks += 1;
    const block = await file.at(at + blocks * blockBytes, blockBytes);
    isMore = block.length === blockBytes && block[504] !== 0;
  }
  return blocks * blockBytes;
}

/** Something that is said of the next member, or ("g") of all that follow, and ("K") of links. */
function isRecord({ type }: TarHeader): boolean {
  return "xXgLK".includes(type);
}

async function recordOf(
  file: BufferedFile,
  path: string,
  { type, bytes }: TarHeader,
  offset: number,
): Promise<TarExtension> {
  if (type === "g" || type === "K") return {};
  const content = bytes <= mostBytesOfRecord ? await file.at(offset, bytes) : undefined;
  const extension = content && (type === "L" ? parseLongName(content) : parsePax(content));
  if (!extension) throw damaged(path, offset, "record of a tar archive that makes sense");
  return extension;
}

function incomplete(path: string, where: string): GaussianizeError {
  return new GaussianizeError(
    "file-damaged",
    `Cannot read all of ${path}: it ends ${where}; it is incomplete.`,
  );
}

function noHeader(path: string, at: number): GaussianizeError {
  if (at === 0)
    return new GaussianizeError("unsupported-file", `Cannot read ${path}: it is no tar archive.`);
  return damaged(path, at, "header of a tar archive (its checksum or its size is wrong)");
}

function damaged(path: string, at: number, missing: string): GaussianizeError {
  return new GaussianizeError(
    "file-damaged",
    `Cannot read all of ${path}: at byte ${at} there is no ${missing}; it is damaged.`,
  );
}
