/** Limits of OpenAPI documents. */

/** Largest document as it is sent or fetched. */
export const SPEC_BYTES_MAX = 10 * 1024 * 1024;
/** Largest document once YAML aliases are expanded, characters of JSON: three times what may be sent. */
export const EXPANDED_LENGTH_MAX = 3 * SPEC_BYTES_MAX;
/** Deepest nesting. Real documents stay below 40; without a limit, recursive readers would overflow their stack. */
export const NESTING_MAX = 200;
/** Most operations. The largest published descriptions within the size limit have about 1,200. */
export const OPERATIONS_MAX = 5_000;
/**
 * Largest list of operations, characters of JSON. Operations repeat the parameters that they share, so a small document can
 * have a list of hundreds of megabytes. Real operations have about 300 characters.
 */
export const OPERATIONS_LENGTH_MAX = 4 * 1024 * 1024;
/** Most problems listed; the rest is counted. */
export const PROBLEMS_MAX = 1_000;
