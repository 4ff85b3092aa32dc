export type FloatArray = Float32Array | Float64Array;
