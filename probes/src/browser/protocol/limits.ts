/** Limits the messages of a driver. They are apart from the schemas, which the driver itself does not need. */

/** Largest line of a frame, and largest payload. A video of two minutes has a few MiB. */
export const FRAME_LINE_BYTES_MAX = 1024 * 1024;
export const FRAME_PAYLOAD_BYTES_MAX = 24 * 1024 * 1024;
/** Bytes of lines and of payloads that the driver of a script may send in its life: several times what the longest run sends. */
export const SCRIPT_LINE_BYTES_MAX = 16 * 1024 * 1024;
export const SCRIPT_PAYLOAD_BYTES_MAX = 192 * 1024 * 1024;
/** Longest list in a line. Looked at before the schemas, which judge every entry before they count them. */
export const LIST_MAX = 1_000;
/** Largest part of a document that is sent for the assertions of a step. */
export const STEP_DOCUMENT_BYTES_MAX = 1024 * 1024;
/** Steps and screenshots of one run. Further ones are left out. */
export const STEPS_MAX = 100;
export const SCREENSHOTS_MAX = 50;
