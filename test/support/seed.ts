/** Seed of all random tests, which name it; set GAUSSIANIZE_TEST_SEED to try others. */
export const seed = process.env.GAUSSIANIZE_TEST_SEED ?? 20_151_119;
