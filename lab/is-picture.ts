/** By name and type; what is in the file is found out by whoever reads it. */
export function isPicture({ name, type }: File): boolean {
  return type.startsWith("image/") || /\.(iml|png|jpe?g|webp|gif|avif|bmp)$/i.test(name);
}
