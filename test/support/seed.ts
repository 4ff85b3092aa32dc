/**
 * Every random test starts from this seed, and says so in its name; GAUSSIANIZE_TEST_SEED sweeps
 * others.
 */
export const seed = process.env.GAUSSIANIZE_TEST_SEED ?? 20_151_119;
