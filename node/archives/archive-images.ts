/** The pictures in a tar archive, with what can be known of them without decoding them. */
import { basename } from "node:path/posix";
import { GaussianizeError } from "../../src/errors.js";
import { type SkippedImage, headerBytes, isOfSystem } from "../../src/patches/image-set.js";
import { fileError } from "../file-errors.js";
import { isImage } from "../image-endings.js";
import { type DigestedHeader, digestOf } from "../image-header.js";
import { BufferedFile } from "./buffered-file.js";
import { sizeOfMember } from "./member-size.js";
import { type TarMember, tarMembers } from "./tar-members.js";

/** A picture is read, and decoded, as a whole: 268 megapixels, the most that are decoded, seldom have more. */
const mostBytesOfPicture = 2 ** 30;

/** Called after each, with the part of the archive that is done. */
type OnImage = (image: DigestedHeader | SkippedImage, part: number) => void;

/** One after the other, in their order; what comes after a damaged place is one that is skipped. */
export async function readArchive(
  path: string,
  signal: AbortSignal | undefined,
  onImage: OnImage,
): Promise<void> {
  const file = await BufferedFile.open(path).catch((error: unknown) => {
    throw fileError("read", path, error);
  });
  try {
    for await (const member of tarMembers(file, path, signal)) {
      if (!isWanted(member.name)) continue;
      onImage(await imageOf(file, path, member), member.offset / file.bytes);
    }
  } catch (error) {
    const failure = fileError("read", path, error);
    const isDamage = failure instanceof GaussianizeError && !isOfSystem(failure);
    if (signal?.aborted || !isDamage) throw failure;
    onImage({ path, reason: failure.message }, 1);
  } finally {
    await file.close();
  }
}

/**
 * As in folders: not what is hidden (so that ._photo.png of a Mac is none), and nothing that is no picture. "." and ".." are
 * parts of a name like others: nothing is written where it points to.
 */
function isWanted(name: string): boolean {
  return isImage(name) && !/(^|\/)\.[^./]/.test(name);
}

async function imageOf(
  file: BufferedFile,
  archive: string,
  { name, offset, bytes, trouble }: TarMember,
): Promise<DigestedHeader | SkippedImage> {
  const path = `${archive}:${name}`;
  try {
    if (trouble !== undefined) throw new GaussianizeError(`Cannot read ${path}: it is ${trouble}.`);
    if (bytes > mostBytesOfPicture) throw tooLarge(path, bytes);
    const beginning = await file.at(offset, Math.min(bytes, headerBytes));
    const digest = digestOf(basename(name), bytes, beginning);
    const size = await sizeOfMember(file, path, offset, bytes);
    return { path, ...size, digest, archive, offset, bytes };
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    return { path, reason: error.message };
  }
}

function tooLarge(path: string, bytes: number): GaussianizeError {
  const most = `the ${mostBytesOfPicture} that a picture in an archive may have`;
  return new GaussianizeError(`Cannot read ${path}: it has ${bytes} bytes, more than ${most}.`);
}
