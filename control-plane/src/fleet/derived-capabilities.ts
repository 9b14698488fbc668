/** Capabilities of a runner that agents don't announce by name: they follow from other fields of their Hello. */

/** Capability of a runner that has a key to which secrets of teams can be sealed. */
export const VAULT_CAPABILITY = "vault";

/** Capability of a runner that carries out test runs. */
export const TEST_RUNS_CAPABILITY = "test_runs";

/** Capability of a runner that holds test runs to limits of their traffic. */
export const LIMITED_TEST_RUNS_CAPABILITY = "limited_test_runs";
