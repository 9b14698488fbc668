/**
 * Judges a message's JSON before the SDK parses it in the event loop: for each member that the protocol doesn't know the
 * SDK composes part of an error, and many values take long to parse. One pass over the bytes.
 */
import { MEMBERS_MAX, MESSAGE_BYTES_MAX, VALUES_MAX } from "./limits.ts";

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/**
 * Returns why a message, or a batch of them, is not parsed; undefined when it may be. The text need not be valid JSON.
 * @returns the end of a sentence: "more than ..."
 */
export function excessOf(json: Buffer): string | undefined {
  if (json.length > MESSAGE_BYTES_MAX) return `more than ${MESSAGE_BYTES_MAX} bytes`;
  let depth = 0;
  let membersDepth = 1;
  let members = 1;
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at);
        continue;
      case OPENING_BRACKET:
        if (depth === 0) membersDepth = 2; // a batch
        depth++;
        values++;
        break;
      case OPENING_BRACE:
        depth++;
        values++;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth--;
        continue;
      case COMMA:
        values++;
        if (depth <= membersDepth) members++;
        break;
      default:
        continue;
    }
    if (members > MEMBERS_MAX) return `more than ${MEMBERS_MAX} members`;
    if (values > VALUES_MAX) return `more than ${VALUES_MAX} values`;
  }
  return undefined;
}

/** Returns where the string ends that begins at `start`: the place of its closing quote, or the end of the text. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
