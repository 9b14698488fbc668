/**
 * Judges a message's JSON before the SDK parses it in the event loop: for each member that the protocol doesn't know the
 * SDK composes part of an error, and many values take long to parse.
 */
import { jsonExcess } from "../base/json-width.ts";
import { MEMBERS_MAX, MESSAGE_BYTES_MAX, VALUES_MAX } from "./limits.ts";

/**
 * Returns why a message, or a batch of them, is not parsed; undefined when it may be. The text need not be valid JSON.
 * @returns the end of a sentence: "more than ..."
 */
export function excessOf(json: Buffer): string | undefined {
  if (json.length > MESSAGE_BYTES_MAX) return `more than ${MESSAGE_BYTES_MAX} bytes`;
  return jsonExcess(json, { valuesMax: VALUES_MAX, membersMax: MEMBERS_MAX });
}
