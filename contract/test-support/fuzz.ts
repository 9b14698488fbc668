/** Number of inputs that a fuzz test tries. SVC_FUZZ_INPUTS sets another one, such as 200000 for a long run. */
export const FUZZ_INPUTS = Number(process.env.SVC_FUZZ_INPUTS ?? 2_000);

/** Time for the test to take, ms: generous, since only a hang should ever reach it. */
export const FUZZ_TIMEOUT_MS = 120_000 + FUZZ_INPUTS * 60;
