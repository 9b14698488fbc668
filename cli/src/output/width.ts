/** Measures and cuts text by the terminal columns that it takes. */
import { eastAsianWidth } from "get-east-asian-width";

const segmenter = new Intl.Segmenter();
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ESC of colours
const COLORS = /\u001b\[[\d;]*m/g;
const ASCII = /^[ -~]*$/;

/** Returns the columns that a text takes; colours take none. */
export function columnsOf(text: string): number {
  const plain = text.replaceAll(COLORS, "");
  if (ASCII.test(plain)) return plain.length;
  let columns = 0;
  for (const { segment } of segmenter.segment(plain)) columns += columnsOfCharacter(segment);
  return columns;
}

/** Cuts an uncoloured text at its end to at most `columns`, with an ellipsis behind. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = columnsOfCharacter(segment);
    if (used + next > columns - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

/** Cuts an uncoloured text at its start to at most `columns`, with an ellipsis in front. */
export function cutStartTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const segments = [...segmenter.segment(text)].map(({ segment }) => segment);
  let used = 0;
  let first = segments.length;
  for (; first > 0; first--) {
    const next = columnsOfCharacter(segments[first - 1] as string);
    if (used + next > columns - 1) break;
    used += next;
  }
  return `…${segments.slice(first).join("")}`;
}

function columnsOfCharacter(segment: string): number {
  if (/^[\p{Mark}\u200b-\u200d\ufeff]+$/u.test(segment)) return 0;
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return 2;
  return eastAsianWidth(segment.codePointAt(0) as number);
}
