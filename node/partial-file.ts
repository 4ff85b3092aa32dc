import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { failTo, fileError } from "./files.js";
import { makeFolder } from "./make-folder.js";

/** A file that a download extends piece by piece, so that the next program can resume it. */
export class PartialFile {
  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
    private size: number,
    private kept: boolean,
  ) {}

  /** Opens the partial file of an earlier download, or creates an empty one and its folder. */
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

  /** Whether the bytes come from several answers, and so perhaps from different files. */
  get isPatched(): boolean {
    return this.kept;
  }

  /** Notes that the next bytes come from another answer. */
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

  /** Flushes to the disk, so that the content survives a power cut. */
  async sync(): Promise<void> {
    await this.change(() => this.file.sync());
  }

  /** Closes the file, and deletes it if it is empty. */
  async close(): Promise<void> {
    await this.file.close();
    if (this.size === 0) await rm(this.path, { force: true }).catch(() => undefined);
  }

  private change(action: () => Promise<void>): Promise<void> {
    return action().catch(failTo("write", this.path));
  }
}
