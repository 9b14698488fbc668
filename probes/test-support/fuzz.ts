/** How many inputs a fuzz test tries. More with SVC_FUZZ_INPUTS, e.g. 200000 for a long run. */
export const FUZZ_INPUTS = Number(process.env.SVC_FUZZ_INPUTS ?? 2_000);

/** Time for the test to take, ms: generous, since only a hang should ever reach it. */
export const FUZZ_TIMEOUT_MS = 120_000 + FUZZ_INPUTS * 60;
