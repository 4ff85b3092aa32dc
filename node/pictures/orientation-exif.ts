/**
 * The smallest EXIF block that says how a picture lies, for a picture whose file said it elsewhere:
 * a TIFF structure with one directory of one entry. Undefined where the picture stands upright.
 */
export function orientationExif(orientation: number | undefined): Uint8Array | undefined {
  if (orientation === undefined || orientation === 1) return undefined;
  const bytes = Buffer.alloc(26);
  bytes.write("II*\0", 0, "latin1");
  bytes.writeUInt32LE(8, 4); // where the directory begins
  bytes.writeUInt16LE(1, 8);
  bytes.writeUInt16LE(0x0112, 10);
  bytes.writeUInt16LE(3, 12); // one number of 16 bits
  bytes.writeUInt32LE(1, 14);
  bytes.writeUInt16LE(orientation, 18);
  return bytes;
}
