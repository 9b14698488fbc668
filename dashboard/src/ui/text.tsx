/** Texts that others wrote, such as names and what targets answered. */

/** Control characters, and marks that turn the direction of what follows or show nothing. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;

/**
 * Returns a text in which characters that show nothing, or turn other text around, stand as their code: `[U+202E]`. Tabs and
 * line breaks stay.
 */
export function plainText(text: string): string {
  return text.replaceAll(HIDDEN, (character) => {
    if (character === "\t" || character === "\n") return character;
    return `[U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/** Shows a name or another short text of others. */
export function Text({ children }: { children: string }) {
  return <bdi>{plainText(children)}</bdi>;
}

/** Shows a long text of others as it is, line by line. */
export function Verbatim({ label, children }: { label: string; children: string }) {
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{plainText(children)}</pre>
    </section>
  );
}
