/** Lists the members of a tar archive in one pass over its headers, without reading contents. */
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
  /** Name with "/" between folders and without a leading "./". */
  readonly name: string;
  /** First byte of the content. */
  readonly offset: number;
  readonly bytes: number;
  /** Reason why the content cannot be used, completing "it is …". */
  readonly trouble?: string;
}

/** Records hold names, which are short. */
const mostBytesOfRecord = 2 ** 20;

const troubles: Readonly<Partial<Record<string, string>>> = {
  "1": "a hard link to another member",
  "2": "a symbolic link",
  S: "a sparse file",
};
/** Types of ordinary files. */
const fileTypes = ["0", "7"];

/**
 * Yields files and links in their order. Skips blocks of zeros as tar --ignore-zeros does, because
 * archives may have been joined (cat a.tar b.tar).
 *
 * @throws GaussianizeError if the archive is damaged, incomplete or no archive; members before the
 *   damage are valid
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
    if (block.length < blockBytes) throw incomplete(path, "it ends in the middle of a header");
    const header = parseHeader(block);
    if (!header && at === 0) throw noArchive(path);
    if (!header) throw damaged(path, at, "header (wrong checksum or size)");
    const bytes = isRecord(header) ? header.bytes : contentBytes(header, extension);
    const name = (extension.name ?? header.name).replace(/^(\.?\/+)+/, "");
    const offset = at + blockBytes + (await bytesOfMaps(file, at, header));
    if (offset + bytes > file.bytes) {
      const rest = Math.max(0, file.bytes - offset);
      throw incomplete(path, `${name} should have ${bytes} bytes, but only ${rest} are there`);
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
 * Returns the length of the content. Links, folders and devices have none, whatever their header
 * says, except that a POSIX record may give a hard link content.
 */
function contentBytes({ type, bytes }: TarHeader, extension: TarExtension): number {
  if ("23456".includes(type)) return 0;
  return extension.bytes ?? (type === "1" ? 0 : bytes);
}

/** Returns the length of the blocks that list the holes of a sparse file in GNU's format. */
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

/** Tells records about the next member, about all that follow ("g") and about links ("K"). */
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
  if (!extension) throw damaged(path, offset, "record");
  return extension;
}

function noArchive(path: string): GaussianizeError {
  return new GaussianizeError("unsupported-file", `Cannot read ${path}: it is not a tar archive.`);
}

function incomplete(path: string, reason: string): GaussianizeError {
  return new GaussianizeError(
    "file-damaged",
    `Cannot read all of ${path}, which is incomplete: ${reason}.`,
  );
}

function damaged(path: string, at: number, missing: string): GaussianizeError {
  return new GaussianizeError(
    "file-damaged",
    `Cannot read all of ${path}, which is damaged: at byte ${at} there is no valid ${missing}.`,
  );
}
