/** A picture of one channel, row by row from the top left; the scale of the values is the maker's to say. */
export interface GreyImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: Float32Array;
}
