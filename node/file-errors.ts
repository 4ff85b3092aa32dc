/** Why a file cannot be read or written, in words for whoever wants to mend it. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { GaussianizeError } from "../src/errors.js";

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOSPC: "there is no space left on the disk",
  EDQUOT: "there is no space left in the quota",
  EFBIG: "it would be larger than the system allows",
  EIO: "the disk reports an error",
  ELOOP: "its links go in a circle",
  ENAMETOOLONG: "its name is too long",
  ERR_FS_FILE_TOO_LARGE: "it is too large",
  ERR_INVALID_ARG_VALUE: "its name is not that of a file",
};

/** The sentence of a failed file operation; an error that is not the system's stays what it is. */
export function fileError(action: "read" | "write", path: string, error: unknown): unknown {
  if (error instanceof GaussianizeError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : reasonOf(action, path, code);
  if (reason === undefined) return error;
  return new GaussianizeError(`cannot-${action}`, `Cannot ${action} ${path}: ${reason}.`, {
    cause: error,
  });
}

function reasonOf(action: "read" | "write", path: string, code: string): string | undefined {
  if (code === "ENOTDIR") return `${dirname(path)} is not a folder`;
  if (code === "ENOENT") {
    if (action === "read") return "there is no such file";
    const folder = dirname(path);
    return existsSync(folder) ? `${folder} takes no new files` : `there is no folder ${folder}`;
  }
  if (Object.hasOwn(reasons, code)) return reasons[code];
  return code.startsWith("ERR_") ? undefined : `the system reports ${code}`;
}
