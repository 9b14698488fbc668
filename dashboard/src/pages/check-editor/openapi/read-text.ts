/** Text that somebody pasted, JSON or YAML, as a value. */

/** Most characters that are read: an operation has a few hundred. */
export const PASTED_CHARACTERS_MAX = 100_000;
/** Aliases that YAML may spread: a small text must not become a large value. */
const ALIASES_MAX = 100;

/** Returns the value of a text, or a sentence about what is wrong with it. */
export async function valueOfText(text: string): Promise<{ value: unknown } | { problem: string }> {
  if (text.trim() === "") return { problem: "Paste an operation first." };
  if (text.length > PASTED_CHARACTERS_MAX)
    return {
      problem: `The text has ${text.length} characters; at most ${PASTED_CHARACTERS_MAX} are read. Paste one operation, not the document.`,
    };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Most likely YAML, of which JSON is a part: its reader says what is wrong.
  }
  try {
    const { LineCounter, parseDocument } = await import("yaml");
    const lineCounter = new LineCounter();
    const document = parseDocument(text, {
      lineCounter,
      merge: true,
      prettyErrors: false,
      uniqueKeys: false,
    });
    const [error] = document.errors;
    if (error)
      return {
        problem: `This is neither JSON nor YAML: line ${lineCounter.linePos(error.pos[0]).line}: ${error.message}`,
      };
    return { value: document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown };
  } catch (error) {
    return { problem: `The text can't be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}
