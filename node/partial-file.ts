import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError } from "./file-errors.js";
import { makeFolder } from "./make-folder.js";

/**
 * A file that a download grows from its start, piece after piece: whatever ends the program, what
 * is on the disk is a beginning that the next program continues.
 */
export class PartialFile {
  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private size: number,
    private kept: boolean,
  ) {}

  /** Opens what an earlier download left, or makes an empty file and the folder for it. */
  static async open(path: string): Promise<PartialFile> {
    await makeFolder(dirname(path));
    try {
      const file = await open(path, constants.O_RDWR | constants.O_CREAT);
      const { size } = await file.stat();
      return new PartialFile(path, file, size, size > 0);
    } catch (error) {
      throw fileError("write", path, error);
    }
  }

  get received(): number {
    return this.size;
  }

  /** Whether its bytes come from more than one answer, which may have been of different files. */
  get isPatched(): boolean {
    return this.kept;
  }

  /** The next bytes come from another answer than those that are there. */
  continueWithAnother(): void {
    this.kept ||= this.size > 0;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.change(async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.file.write(bytes, done, undefined, this.size);
        done += bytesWritten;
        this.size += bytesWritten;
      }
    });
  }

  async restart(): Promise<void> {
    await this.change(() => this.file.truncate(0));
    this.size = 0;
    this.kept = false;
  }

  /** Onto the disk: a name must not outlive a power cut without its content. */
  async sync(): Promise<void> {
    await this.change(() => this.file.sync());
  }

  /** An empty file is nothing to continue, and does not stay. */
  async close(): Promise<void> {
    await this.file.close();
    if (this.size === 0) await rm(this.path, { force: true }).catch(() => undefined);
  }

  private async change(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      throw fileError("write", this.path, error);
    }
  }
}
