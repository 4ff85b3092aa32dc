/** Exports of the module. Each function says whether its sizes are in bytes or elements. */
export { coarseTile, coarsen, fourCoarseProducts } from "./coarse-matrix";
export { expArray, logArray, powArray } from "./elementary";
export { approximateColumn, backpropagateColumn, gaussianizeColumn } from "./gdn-column";
export { backpropagateProbes, prepareProbes } from "./gdn-column-probes";
export { backpropagateDiagonal, gaussianizeDiagonal } from "./gdn-diagonal";
export { backpropagateGeneral, gaussianizeGeneral } from "./gdn-general";
export { gaussianizeLowRank, prepareLowRank } from "./gdn-low-rank";
export { backpropagateLowRank, contractRow } from "./gdn-low-rank-gradient";
export { backpropagateRankOne, gaussianizeRankOne } from "./gdn-rank-one";
export { synthesize } from "./gdn-synthesis";
export { guidedActivity, guidedGradient } from "./guided-fit";
export { sumGradients } from "./gradients";
export { estimateGuided } from "./guided";
export { getFailedPivot, invert, invertWithPivoting, logDeterminant } from "./inverse";
export { multiplyBySlopes, rectify } from "./network";
export { multiplyAddOperations, multiplyAddPeak, productSumOperations, productSumPeak } from "./peak";
export { estimatePatches } from "./score";
export { estimateSimilar, solveRow, subtractRow, twelveDistances } from "./similar";
export { fourProducts, outerProduct, outerTile, packTransposed, product, stripProduct, transpose } from "./products";
export { add } from "./simd";
export { subtractOne, subtractSix, subtractTwo } from "./tile";

/** First byte after the static blocks of the kernels: the memory from here on is free. */
export function heapBase(): usize {
  return __heap_base;
}
