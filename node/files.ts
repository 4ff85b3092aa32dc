/** File operations, with errors that name the file and the reason. */
import { existsSync } from "node:fs";
import { type FileHandle, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GaussianizeError, expected } from "../src/errors.js";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOSPC: "there is no space left on the disk",
  EDQUOT: "there is no space left in the quota",
  EFBIG: "it would be larger than the system allows",
  EIO: "the disk reports an error",
  ELOOP: "its links form a loop",
  ENAMETOOLONG: "its name is too long",
  ERR_FS_FILE_TOO_LARGE: "it is too large",
  ERR_INVALID_ARG_VALUE: "its name is not a valid file name",
};

/** Requires the path of a file; `example` shows the order of the arguments in errors. */
export function requirePath(path: string, example: string): void {
  if (typeof path === "string") return;
  throw expected("path", `be a string, as in ${example},`, path);
}

type Action = "read" | "write";

/** Returns the sentence for an error of the system, and any other error unchanged. */
export function fileError(action: Action, path: string, error: unknown): unknown {
  const code = codeOf(error);
  const reason = error instanceof GaussianizeError ? undefined : reasonOf(action, path, code);
  if (reason === undefined) return error;
  return new GaussianizeError(`cannot-${action}`, `Cannot ${action} ${path}: ${reason}.`, {
    cause: error,
  });
}

/** Returns a handler for `.catch()` that throws the {@link fileError}. */
export function failTo(action: Action, path: string): (error: unknown) => never {
  return (error) => {
    throw fileError(action, path, error);
  };
}

/** Code of a failed system call, such as "ENOENT"; "" if the error has none. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Stays below 2 GiB, at which Node ends the whole process. */
const mostBytesAtOnce = 2 ** 24;

/** Reads `length` bytes, or fewer if the file ends before. A single read may return fewer. */
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

function reasonOf(action: Action, path: string, code: string): string | undefined {
  if (code === "ENOTDIR") return `${dirname(path)} is not a folder`;
  if (code === "ENOENT") {
    if (action === "read") return "there is no such file";
    const folder = dirname(path);
    return existsSync(folder) ? `${folder} takes no new files` : `there is no folder ${folder}`;
  }
  if (Object.hasOwn(reasons, code)) return reasons[code];
  return code === "" || code.startsWith("ERR_") ? undefined : `the system reports ${code}`;
}
