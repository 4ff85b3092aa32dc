import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type TarEntry, tarBytes, tarMember } from "../../../bench/tar-blocks.js";
import { BufferedFile } from "../../../node/archives/buffered-file.js";
import { type TarMember, tarMembers } from "../../../node/archives/tar-members.js";
import { expectError, sentenceOf } from "../../support/expect-error.js";
import { temporaryFolder } from "../../support/folders.js";

const folder = await temporaryFolder("tar-members");
const path = join(folder, "photos.tar");
const text = (content: string): Buffer => Buffer.from(content);

async function membersOf(bytes: Uint8Array): Promise<TarMember[]> {
  await writeFile(path, bytes);
  return readMembers(path);
}

async function readMembers(archive: string): Promise<TarMember[]> {
  const file = await BufferedFile.open(archive);
  const members: TarMember[] = [];
  try {
    for await (const member of tarMembers(file, archive)) members.push(member);
  } finally {
    await file.close();
  }
  return members;
}

const namesOf = (members: readonly TarMember[]) => members.map(({ name }) => name);
const pax = (record: string): TarEntry => ({ name: "pax", type: "x", content: text(record) });
const picture: TarEntry = { name: "a.png", content: text("picture") };

describe("tarMembers", () => {
  test("yields names, offsets and sizes of files, but no folders", async () => {
    const bytes = tarBytes([
      { name: "dir/", type: "5", content: text("") },
      { name: "./dir/a.png", content: Buffer.alloc(513, 7) },
      { name: "/dir/empty", content: text("") },
      { name: "b.png", content: text("b") },
    ]);
    expect(await membersOf(bytes)).toEqual([
      { name: "dir/a.png", offset: 1024, bytes: 513 },
      { name: "dir/empty", offset: 2560, bytes: 0 },
      { name: "b.png", offset: 3072, bytes: 1 },
    ]);
  });

  test("accepts archives without an end block", async () => {
    expect(namesOf(await membersOf(tarMember(picture)))).toEqual(["a.png"]);
    expect(await membersOf(Buffer.alloc(0))).toEqual([]);
  });

  test("reads long names from GNU's record, for one member only", async () => {
    const long = `${"folder/".repeat(30)}ü.png`;
    const record = { name: "././@LongLink", type: "L", content: text(`${long}\0`) };
    expect(namesOf(await membersOf(tarBytes([record, picture, picture])))).toEqual([long, "a.png"]);
  });

  test("reads names and sizes from POSIX records", async () => {
    const wrong = { ...picture, size: "0".repeat(11) };
    const bytes = tarBytes([pax("19 path=dir/é.png\n9 size=7\n"), wrong, picture]);
    expect(await membersOf(bytes)).toEqual([
      { name: "dir/é.png", offset: 1536, bytes: 7 },
      { name: "a.png", offset: 2560, bytes: 7 },
    ]);
  });

  test("reads binary sizes", async () => {
    const size = Buffer.alloc(12);
    size[0] = 0x80;
    size[11] = 7;
    const bytes = tarBytes([{ ...picture, size: size.toString("latin1") }, picture]);
    expect((await membersOf(bytes)).map((member) => member.bytes)).toEqual([7, 7]);
  });

  test("reads prefixes of ustar names", async () => {
    const member = tarMember(picture);
    member.write("some/folder", 345);
    const without = member
      .subarray(0, 512)
      .reduce((sum, byte, k) => sum + (k >= 148 && k < 156 ? 32 : byte), 0);
    member.write(`${without.toString(8).padStart(6, "0")}\0 `, 148);
    expect(namesOf(await membersOf(member))).toEqual(["some/folder/a.png"]);
  });

  test("reads all of several joined archives", async () => {
    const record = { name: "././@LongLink", type: "L", content: text("lost.png") };
    const ends = Buffer.alloc(20 * 512);
    const second = { name: "b.png", content: text("second") };
    const bytes = Buffer.concat([tarBytes([picture, record]), ends, tarBytes([second])]);
    expect(namesOf(await membersOf(bytes))).toEqual(["a.png", "b.png"]);
    // Zeros at the end that do not fill a block.
    expect(namesOf(await membersOf(Buffer.concat([bytes, Buffer.alloc(100)])))).toHaveLength(2);
    const followed = Buffer.concat([tarBytes([picture]), Buffer.alloc(512, 65)]);
    await expectError(membersOf(followed), { code: "file-damaged", phrase: "at byte 2048" });
  });

  test("reports links and sparse files, and reads the members after them", async () => {
    const bytes = tarBytes([
      { name: "hard.png", type: "1", content: text(""), size: "00000000777" },
      { name: "soft.png", type: "2", content: text("") },
      pax("22 GNU.sparse.major=1\n"),
      { name: "holes.png", content: text("map and data") },
      { name: "old.png", type: "S", content: text("data") },
      picture,
    ]);
    expect((await membersOf(bytes)).map(({ name, trouble }) => [name, trouble])).toEqual([
      ["hard.png", "a hard link to another member"],
      ["soft.png", "a symbolic link"],
      ["holes.png", "a sparse file"],
      ["old.png", "a sparse file"],
      ["a.png", undefined],
    ]);
  });

  test("reads the archives that tar writes", async () => {
    const below = join(folder, "written", "x".repeat(90), "y".repeat(90));
    await mkdir(below, { recursive: true });
    for (let k = 0; k < 50; k += 1)
      await writeFile(join(below, `${k}.png`), Buffer.alloc(37 * k * k, k));
    for (const options of [[], ["--format=ustar"], ["--format=pax"]]) {
      const archive = join(folder, "written.tar");
      await promisify(execFile)("tar", [...options, "-cf", archive, "-C", folder, "written"]);
      const all = await readFile(archive);
      const members = await readMembers(archive);
      expect(members).toHaveLength(50);
      for (const { name, offset, bytes } of members) {
        const original = await readFile(join(folder, name));
        expect(all.subarray(offset, offset + bytes).equals(original)).toBe(true);
      }
    }
  });
});

describe("tarMembers rejects an archive that", () => {
  const whole = tarBytes([picture, { name: "dir/b.png", content: Buffer.alloc(2000, 1) }]);
  const unsupported = (phrase: string) => ({ code: "unsupported-file", phrase }) as const;
  const damaged = (phrase: string) => ({ code: "file-damaged", phrase }) as const;

  test("is not a tar archive", async () => {
    await expectError(membersOf(Buffer.alloc(600, 65)), unsupported(`${path}: it is not`));
  });

  test("is compressed, whatever its name", async () => {
    for (const bytes of [gzipSync(whole), Buffer.from("PK\x03\x04".padEnd(512, "x"))]) {
      await expectError(membersOf(bytes), unsupported(`${path}: compressed archives`));
    }
  });

  test("ends in the middle of a header", async () => {
    const bytes = whole.subarray(0, 1024 + 100);
    await expectError(membersOf(bytes), damaged("incomplete: it ends in the middle of a header"));
  });

  test("ends before the end of a member", async () => {
    expect(await sentenceOf(membersOf(whole.subarray(0, 1024 + 512 + 900)))).toBe(
      `Cannot read all of ${path}, which is incomplete: dir/b.png should have 2000 bytes, but only 900 are there.`,
    );
  });

  test("has a header with a wrong checksum", async () => {
    const bytes = Buffer.from(whole);
    bytes[1024 + 3] ^= 1;
    expect(await sentenceOf(membersOf(bytes))).toBe(
      `Cannot read all of ${path}, which is damaged: at byte 1024 there is no valid header (wrong checksum or size).`,
    );
  });

  test.each([
    "7 path=",
    "x path=a\n",
    " path=a\n",
    "9 pathxa\n",
    "8 path=a\n",
    "08 path=a\n",
    // Lengths: beyond the content, 0, negative, before the "=".
    "99 path=a\n",
    "6 a=b\n0 a=b\n",
    "6 a=b\n-6 a=b\n",
    "3 \npath=a\n",
    "6 abc\n6 a=b\n",
    // Sizes that are not decimal, or larger than any file.
    "10 size=-5\n",
    "8 size=\n",
    "12 size=0x10\n",
    "11 size=1e3\n",
    "11 size= 7 \n",
    "23 size=9007199254740992\n",
  ])("has a malformed record: %j", async (record) => {
    const bytes = tarBytes([pax(record), picture]);
    await expectError(membersOf(bytes), damaged("at byte 512 there is no valid record"));
  });

  test.each(["x", "L"])("has a record %s longer than any name", async (type) => {
    const record = { name: "record", type, content: Buffer.alloc(2 ** 20 + 1, 65) };
    await expectError(membersOf(tarBytes([record, picture])), damaged("at byte 512"));
  });

  test.each([
    ["negative", "ff".repeat(11) + "f9"],
    ["larger than eight bytes", "800000010000000000000007"],
    ["larger than any file", "800000000020000000000000"],
    ["not octal", Buffer.from("00000000008\0").toString("hex")],
  ])("has a size that is %s", async (_, hex) => {
    const size = Buffer.from(hex, "hex").toString("latin1");
    const bytes = tarBytes([picture, { ...picture, size }]);
    await expectError(membersOf(bytes), damaged("at byte 1024"));
  });
});
