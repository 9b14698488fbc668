/** Judges the width of JSON before it is parsed in the event loop, since many values take long to parse. One pass over the bytes. */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/** Limits of one JSON document. */
export interface JsonWidth {
  /** Most arrays, objects, members and items. */
  valuesMax: number;
  /** Most members of the document itself, or of all documents in its array together; default: no limit but that of values. */
  membersMax?: number;
}

/**
 * Returns how a document exceeds its limits; undefined when it doesn't. The text need not be valid JSON.
 * @returns the end of a sentence: "more than ..."
 */
export function jsonExcess(json: Buffer, limits: JsonWidth): string | undefined {
  const { valuesMax, membersMax = valuesMax } = limits;
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
    if (members > membersMax) return `more than ${membersMax} members`;
    if (values > valuesMax) return `more than ${valuesMax} values`;
  }
  return undefined;
}

/** Returns where the string ends that begins at `start`: the place of its closing quote, or the end of the text. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
