/**
 * The size of a TIFF from its first directory, wherever that is: "II" or "MM" for the order of bytes, 42 (or 43, BigTIFF, with
 * numbers of 8 bytes), the place of the directory, which is the number of its entries and then tag, type, count and value of each.
 */

/** As many of these bytes as there are. */
export type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

const widthTag = 256;
const heightTag = 257;
const orientationTag = 274;
/** By the type of a value: the bytes of an integer without sign. */
const bytesOfType: Readonly<Partial<Record<number, number>>> = { 1: 1, 3: 2, 4: 4, 16: 8 };
/** Real ones have a few dozen. */
const mostEntries = 4096;

export function isTiff(beginning: Buffer): boolean {
  return /^(II[*+]\0|MM\0[*+])/.test(beginning.toString("latin1", 0, 4));
}

/** Set upright. Undefined where there is no directory, or no size in it. */
export async function tiffSize(
  read: ReadBytes,
): Promise<{ width: number; height: number } | undefined> {
  const entries = await firstDirectory(read);
  const width = entries?.get(widthTag) ?? 0;
  const height = entries?.get(heightTag) ?? 0;
  if (width === 0 || height === 0) return undefined;
  // From 5 on, rows are columns.
  const isTurned = (entries?.get(orientationTag) ?? 1) >= 5;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** The first value of each entry that has whole numbers beside its tag. */
async function firstDirectory(read: ReadBytes): Promise<Map<number, number> | undefined> {
  const head = Buffer.from(await read(0, 16));
  if (head.length < 16 || !isTiff(head)) return undefined;
  const isLittle = head[0] === 0x49;
  const isBig = head[isLittle ? 2 : 3] === 43;
  const number = isLittle ? littleEndian : bigEndian;
  const wordBytes = isBig ? 8 : 4;
  const countBytes = isBig ? 8 : 2;
  const entryBytes = 4 + 2 * wordBytes;
  const place = number(head, wordBytes, wordBytes);
  const counted = await read(place, countBytes);
  const count = counted.length === countBytes ? number(counted, 0, countBytes) : Infinity;
  if (count > mostEntries) return undefined;
  const directory = await read(place + countBytes, count * entryBytes);
  const entries = new Map<number, number>();
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const bytes = bytesOfType[number(directory, at + 2, 2)];
    if (bytes === undefined || bytes > wordBytes) continue;
    entries.set(number(directory, at, 2), number(directory, at + 4 + wordBytes, bytes));
  }
  return entries;
}

function littleEndian(buffer: Buffer, at: number, bytes: number): number {
  return bytes === 8 ? Number(buffer.readBigUInt64LE(at)) : buffer.readUIntLE(at, bytes);
}

function bigEndian(buffer: Buffer, at: number, bytes: number): number {
  return bytes === 8 ? Number(buffer.readBigUInt64BE(at)) : buffer.readUIntBE(at, bytes);
}
