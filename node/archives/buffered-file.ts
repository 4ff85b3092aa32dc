/**
 * A file that is read from its beginning to its end, in large pieces, parts of which may be left
 * out.
 */
import { type FileHandle, open } from "node:fs/promises";

/**
 * A stripe of a cluster's file system is a few of these; what lies between two small pictures costs
 * no read of its own.
 */
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
   * As many bytes as there are, a view that holds until the next call; what was read already is not
   * read again.
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

/** Node takes no more than 2 GiB at once, and ends the whole process where it is asked to. */
const mostBytesAtOnce = 2 ** 24;

/** `length` bytes, or those that there are: a read may give fewer than there are. */
export async function readFully(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(
      buffer,
      done,
      Math.min(length - done, mostBytesAtOnce),
      offset + done,
    );
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
