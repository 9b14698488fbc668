/** Texts that others wrote, such as names and what targets answered. */

/** Control characters, and marks that turn the direction of what follows. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Returns a text in which characters that show nothing, or turn other text around, stand as their code: `U+202E`. */
export function plainText(text: string): string {
  return text.replaceAll(
    HIDDEN,
    (character) => `[U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}

/** Shows a name or another short text of others. */
export function Text({ children }: { children: string }) {
  return <bdi>{plainText(children)}</bdi>;
}

/** Shows a long text of others as it is, line by line. */
export function Verbatim({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre role="region" aria-label={label} tabIndex={0}>
      {plainText(children)}
    </pre>
  );
}
