/** Takes quotations of a document out of messages that say why it is not JSON. Pure. */

/** Matches the part of V8's messages that quotes some twenty characters around the place, with a mark on each side that was cut. */
const EXCERPT = /, (?:\.\.\."[\s\S]{0,60}?"(?:\.\.\.)?|"[\s\S]{0,60}?"\.\.\.) is not valid JSON/g;

/**
 * Returns the text without the pieces of documents that messages about JSON quote: a piece from the middle of a secret has neither its
 * beginning nor its end, so no search for the secret finds it.
 */
export function withoutJsonExcerpts(text: string): string {
  return text.includes(" is not valid JSON") ? text.replace(EXCERPT, " is not valid JSON") : text;
}
