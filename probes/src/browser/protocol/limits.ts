/**
 * Limits of the messages that a browser driver sends. They have a file of their own because the driver needs them, but
 * not the schemas.
 */

/** Largest JSON line of a frame. */
export const FRAME_LINE_BYTES_MAX = 1024 * 1024;
/**
 * Most values of a frame's line: arrays, objects, their members and items. The longest report has about 8,000; to parse a line
 * of nothing else takes a tenth of a second.
 */
export const FRAME_VALUES_MAX = 20_000;
/** Largest payload of a frame. A video of two minutes has a few MiB. */
export const FRAME_PAYLOAD_BYTES_MAX = 24 * 1024 * 1024;
/** Largest sum of all lines from the driver of one script: several times the lines of the longest run. */
export const SCRIPT_LINE_BYTES_MAX = 16 * 1024 * 1024;
/** Largest sum of all payloads from the driver of one script: several times the payloads of the longest run. */
export const SCRIPT_PAYLOAD_BYTES_MAX = 192 * 1024 * 1024;
/** Longest list in a line. Checked before the schemas are, because a schema validates every entry before it counts them. */
export const LIST_MAX = 1_000;
/** Largest part of a document that is sent for the assertions of a step. */
export const STEP_DOCUMENT_BYTES_MAX = 1024 * 1024;
/** Most steps of one run; further ones are left out. */
export const STEPS_MAX = 100;
/** Most screenshots of one run; further ones are left out. */
export const SCREENSHOTS_MAX = 50;
/** Hosts of one run whose requests are counted; the contract allows no more. */
export const HOSTS_MAX = 300;

/** Longest outline of a page, characters. */
export const PAGE_OUTLINE_CHARACTERS_MAX = 16_000;

/** Lines that a script's translation has before the script's own first. */
export const LINES_BEFORE_SCRIPT = 1;
