/** Writes plain tar archives. */

const blockBytes = 512;

export interface TarEntry {
  readonly name: string;
  readonly content: Uint8Array;
  /** Type flag of one letter, default "0" (a file). */
  readonly type?: string;
  /** Size field of the header; by default the size of the content. */
  readonly size?: string;
}

/** A member: its header and its content, padded to whole blocks. */
export function tarMember({ name, content, type = "0", size }: TarEntry): Buffer {
  const member = Buffer.alloc(blockBytes * (1 + Math.ceil(content.length / blockBytes)));
  const digits = size ?? content.length.toString(8).padStart(11, "0");
  member.write(name, 0, 100);
  member.write("0000644\0", 100);
  member.write("0000000\0", 108);
  member.write("0000000\0", 116);
  member.write(digits, 124, 12, "latin1");
  member.write("00000000000\0", 136);
  member.write("        ", 148);
  member.write(type, 156);
  member.write("ustar\x0000", 257, "latin1");
  const sum = member.subarray(0, blockBytes).reduce((total, byte) => total + byte, 0);
  member.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  member.set(content, blockBytes);
  return member;
}

/** An archive with its end marker. */
export function tarBytes(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarMember), Buffer.alloc(2 * blockBytes)]);
}
