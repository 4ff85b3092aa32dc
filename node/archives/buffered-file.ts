/** Reads a file from start to end in large pieces, and can skip parts of it. */
import { type FileHandle, open } from "node:fs/promises";
import { readFully } from "../files.js";

/** Large enough that several small pictures need only one read. */
const pieceBytes = 2 ** 18;

export class BufferedFile {
  private piece: Buffer = Buffer.alloc(0);
  private start = 0;

  private constructor(
    private readonly file: FileHandle,
    readonly bytes: number,
  ) {}

  static async open(path: string): Promise<BufferedFile> {
    const file = await open(path, "r");
    try {
      return new BufferedFile(file, (await file.stat()).size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Returns the bytes in a range, or fewer if the file ends in it. The view is valid until the next
   * call. Bytes of the last piece are not read again.
   */
  async at(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.bytes - offset));
    const isPresent = offset >= this.start && offset + wanted <= this.start + this.piece.length;
    if (!isPresent) {
      const size = Math.max(wanted, Math.min(pieceBytes, this.bytes - offset));
      this.piece = await readFully(this.file, offset, size);
      this.start = offset;
    }
    return this.piece.subarray(offset - this.start, offset - this.start + wanted);
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
