/**
 * Judges a message's JSON before the SDK parses it: for each member that the protocol doesn't know the SDK composes
 * part of an error, which takes seconds for a message of a few MiB. One pass over the bytes.
 */

/** Most members of a message, those of all messages of a batch together. A message has four. */
export const MEMBERS_MAX = 1_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/** True when a message, or a batch of them, has more than {@link MEMBERS_MAX} members. The text need not be valid JSON. */
export function isTooWide(json: Buffer): boolean {
  let depth = 0;
  let membersDepth = 1;
  let commas = 0;
  for (let at = 0; at < json.length; at++)
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case OPENING_BRACKET:
        if (depth === 0) membersDepth = 2; // a batch
        depth++;
        break;
      case OPENING_BRACE:
        depth++;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth--;
        break;
      case COMMA:
        if (depth <= membersDepth && ++commas >= MEMBERS_MAX) return true;
        break;
    }
  return false;
}

/** Returns where the string ends that begins at `start`: the place of its closing quote, or the end of the text. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
