/**
 * Parses the 512-byte blocks before the members of a tar archive: ustar with the extensions of GNU
 * and POSIX (pax).
 */

export const blockBytes = 512;

export interface TarHeader {
  readonly name: string;
  /** Length of the content that follows, without the padding of its last block. */
  readonly bytes: number;
  /** One letter: "0" for a file, "5" for a folder … */
  readonly type: string;
}

/** Fields from the records before a member, which replace those of its header. */
export interface TarExtension {
  readonly name?: string;
  readonly bytes?: number;
  /** Whether the content leaves out holes of the file. */
  readonly isSparse?: boolean;
}

/** Whether a block is all zeros, which marks the end of an archive. */
export function isEndBlock(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

/** Returns undefined if the block is not a header: its checksum or its size is wrong. */
export function parseHeader(block: Buffer): TarHeader | undefined {
  const bytes = numberAt(block, 124, 12);
  if (!isChecksumRight(block) || bytes === undefined) return undefined;
  const isUstar = textAt(block, 257, 5) === "ustar";
  // GNU's own format stores times where POSIX stores the start of a long name.
  const isPosix = isUstar && block[262] === 0;
  const prefix = isPosix ? textAt(block, 345, 155) : "";
  const name = textAt(block, 0, 100);
  const type = block[156] === 0 ? "0" : String.fromCharCode(block[156]);
  return { name: prefix === "" ? name : `${prefix}/${name}`, bytes, type };
}

/**
 * Parses records such as "27 path=folder/picture.png\n", where 27 is the length in bytes. Returns
 * undefined if one is malformed.
 */
export function parsePax(content: Buffer): TarExtension | undefined {
  const found: { name?: string; bytes?: number; isSparse?: boolean } = {};
  for (let at = 0; at < content.length && content[at] !== 0;) {
    const record = paxRecordAt(content, at);
    if (!record) return undefined;
    const { key, value, end } = record;
    if (key === "path") found.name = value;
    else if (key.startsWith("GNU.sparse.")) found.isSparse = true;
    else if (key === "size") {
      const bytes = decimal(value);
      if (bytes === undefined) return undefined;
      found.bytes = bytes;
    }
    at = end;
  }
  return found;
}

/** Returns undefined unless all parts of the record are within the length that it claims. */
function paxRecordAt(content: Buffer, at: number) {
  const space = content.indexOf(0x20, at);
  const length = space > at ? decimal(content.toString("latin1", at, space)) : undefined;
  if (length === undefined) return undefined;
  const end = at + length;
  const equals = content.indexOf(0x3d, space);
  const isWithin = end <= content.length && equals !== -1 && equals < end - 1;
  if (!isWithin || content[end - 1] !== 0x0a) return undefined;
  return {
    key: content.toString("utf8", space + 1, equals),
    value: content.toString("utf8", equals + 1, end - 1),
    end,
  };
}

/** Accepts digits only: Number() would also accept "", "0x10" and "1e3". */
function decimal(digits: string): number | undefined {
  const value = /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Parses GNU's record of a long name. */
export function parseLongName(content: Buffer): TarExtension {
  return { name: textAt(content, 0, content.length) };
}

/** Returns the text up to the first zero. */
function textAt(block: Buffer, at: number, length: number): string {
  const end = block.subarray(at, at + length).indexOf(0);
  return block.toString("utf8", at, end === -1 ? at + length : at + end);
}

/** Reads octal digits, or, if the highest bit of the first byte is set, a binary number. */
function numberAt(block: Buffer, at: number, length: number): number | undefined {
  if (block[at] === 0x80) {
    const value = BigInt(`0x${block.toString("hex", at + 1, at + length)}`);
    return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : undefined;
  }
  const digits = block
    .toString("latin1", at, at + length)
    .replace(/\0.*$/s, "")
    .trim();
  if (digits === "") return 0;
  return /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : undefined;
}

/** Compares the sum of all bytes, with spaces in the checksum field. Some programs sum signed. */
function isChecksumRight(block: Buffer): boolean {
  const [at, length] = [148, 8];
  let [unsigned, signed] = [0, 0];
  block.forEach((byte, k) => {
    const value = k >= at && k < at + length ? 0x20 : byte;
    unsigned += value;
    signed += value > 127 ? value - 256 : value;
  });
  const sum = numberAt(block, at, length);
  return sum === unsigned || sum === signed;
}
