/** Reads pictures in archives, several neighbours with one read. */
import { open } from "node:fs/promises";
import { GaussianizeError } from "../../src/errors.js";
import { fileError, readFully } from "../files.js";
import type { FileHeader } from "../image-header.js";

/** Most bytes of one read, unless a single picture is larger. */
const mostBytesOfRead = 2 ** 22;
/** Most bytes kept for later. Beyond that the oldest picture is dropped and read again. */
const mostBytesAhead = 2 ** 26;

type Member = Required<Pick<FileHeader, "path" | "archive" | "offset" | "bytes">>;

interface Waiting {
  readonly content: Promise<Buffer>;
  readonly bytes: number;
}

export class RunReader {
  /** Pictures read ahead, by the index of the image, oldest first. */
  private readonly ahead = new Map<number, Waiting>();
  private bytesAhead = 0;

  constructor(private readonly images: readonly FileHeader[]) {}

  /** Returns the bytes of an image. Reads those before `until` in the same archive with it. */
  async read(index: number, until: number): Promise<Buffer> {
    const present = this.ahead.get(index);
    if (present) {
      this.forget(index);
      return present.content;
    }
    const members = this.membersFrom(index, until);
    const content = readRun(members);
    members.slice(1).forEach((member, k) => {
      this.keep(index + 1 + k, content, member, members[0].offset);
    });
    return partOf(await content, members[0], members[0].offset);
  }

  private membersFrom(index: number, until: number): Member[] {
    const first = memberOf(this.images[index]);
    const members = [first];
    for (let k = index + 1; k < until; k++) {
      const { archive, offset = 0, bytes = 0 } = this.images[k];
      const end = offset + bytes - first.offset;
      if (archive !== first.archive || offset < first.offset || end > mostBytesOfRead) break;
      members.push(memberOf(this.images[k]));
    }
    return members;
  }

  private keep(index: number, run: Promise<Buffer>, member: Member, start: number): void {
    this.forget(index);
    // A copy, so that the rest of the run can be freed.
    const content = run.then((bytes) => Buffer.from(partOf(bytes, member, start)));
    // A failure is not kept: the next request reads again.
    content.catch(() => {
      if (this.ahead.get(index)?.content === content) this.forget(index);
    });
    this.ahead.set(index, { content, bytes: member.bytes });
    this.bytesAhead += member.bytes;
    for (const oldest of this.ahead.keys()) {
      if (this.bytesAhead <= mostBytesAhead) break;
      this.forget(oldest);
    }
  }

  private forget(index: number): void {
    this.bytesAhead -= this.ahead.get(index)?.bytes ?? 0;
    this.ahead.delete(index);
  }
}

function memberOf({ path, archive = "", offset = 0, bytes = 0 }: FileHeader): Member {
  return { path, archive, offset, bytes };
}

async function readRun(members: readonly Member[]): Promise<Buffer> {
  const [{ archive, offset: start }] = members;
  const { offset, bytes } = members[members.length - 1];
  try {
    const file = await open(archive, "r");
    try {
      return await readFully(file, start, offset + bytes - start);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileError("read", archive, error);
  }
}

function partOf(run: Buffer, { path, offset, bytes }: Member, start: number): Buffer {
  const part = run.subarray(offset - start, offset - start + bytes);
  if (part.length === bytes) return part;
  throw new GaussianizeError(
    "mismatch",
    `${path} was changed while it was in use: its archive is shorter now.`,
  );
}
