/** Tags of TIFF files that sharp does not tell of, by name. */
const names: Readonly<Record<number, string>> = {
  270: "description",
  271: "camera",
  272: "camera",
  305: "software",
  306: "date",
  315: "artist",
  33432: "copyright",
  34377: "Photoshop data",
  34665: "EXIF",
  34853: "GPS",
};

/** Which of them the first directory of a file has. BigTIFF, which hardly any camera or program writes, is not looked into. */
export function unreadTiffTags(bytes: Buffer): string[] {
  const isLittleEndian = bytes.toString("latin1", 0, 2) === "II";
  const short = (at: number): number =>
    isLittleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at);
  if (short(2) !== 42) return [];
  const directoryAt = isLittleEndian ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  const tags = Array.from({ length: short(directoryAt) }, (_, i) =>
    short(directoryAt + 2 + 12 * i),
  );
  const found = tags.filter((tag) => Object.hasOwn(names, tag)).map((tag) => names[tag]);
  return [...new Set(found)];
}
