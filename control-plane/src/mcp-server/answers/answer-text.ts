/** The text of a tool's answer, which has a bounded size: an answer has to fit into the context of a model. */
import type { ToolAnswer } from "../tools/tool.ts";
import { type ShortenLimits, shorten } from "./shorten.ts";

/** Most bytes of an answer. */
export const ANSWER_BYTES_MAX = 24 * 1024;

/** Sizes to which texts, lists and objects are cut, from the mildest cut to the hardest. */
const CUTS: readonly ShortenLimits[] = [
  { characters: 4_000, items: 200 },
  { characters: 1_500, items: 60 },
  { characters: 600, items: 30 },
  { characters: 250, items: 15 },
  { characters: 120, items: 8 },
  { characters: 60, items: 4 },
];

const CUT_NOTE =
  "The answer was too long; what ends with [cut: ...] was shortened. Ask for fewer records, or read a long text of a result with read_evidence.";

/** Returns the answer as JSON of at most {@link ANSWER_BYTES_MAX} bytes; what had to be cut is marked, and says how to get more. */
export function answerText(answer: ToolAnswer): string {
  const whole = JSON.stringify(answer);
  if (isShort(whole)) return whole;
  for (const cut of CUTS) {
    const text = JSON.stringify({ ...(shorten(answer, cut) as ToolAnswer), note: CUT_NOTE });
    if (isShort(text)) return text;
  }
  return JSON.stringify({
    summary: shorten(answer.summary, { characters: 1_000, items: 1 }),
    note: CUT_NOTE,
  });
}

function isShort(text: string): boolean {
  // A character has at most three bytes per UTF-16 unit.
  return text.length * 3 <= ANSWER_BYTES_MAX || Buffer.byteLength(text) <= ANSWER_BYTES_MAX;
}
