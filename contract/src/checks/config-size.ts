/**
 * Bounds the size of a check's configuration, so that any one fits into a message to the runners with bytes to spare.
 */

/** Largest configuration of a check as JSON, in bytes of UTF-8; the text of a browser script has a limit of its own. */
export const CONFIG_BYTES_MAX = 256 * 1024;

/** Message about a configuration that is too large. */
export const CONFIG_TOO_LARGE = `a configuration takes at most ${CONFIG_BYTES_MAX} bytes as JSON`;

/** True when the configuration, its script left out, is within {@link CONFIG_BYTES_MAX}. For `refine`. */
export function isWithinConfigSize(config: object): boolean {
  const json = JSON.stringify({ ...config, script: undefined });
  // A character takes one to three bytes.
  if (json.length * 3 <= CONFIG_BYTES_MAX) return true;
  return json.length <= CONFIG_BYTES_MAX && new TextEncoder().encode(json).length <= CONFIG_BYTES_MAX;
}
