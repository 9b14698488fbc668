/**
 * Makes text safe for terminals, log files and CI runners. Names and messages come from other people: an escape
 * sequence in one could rewrite the screen, a bidi character reorder a line, a CI log command set a variable of the
 * pipeline. Pure.
 */

/** Matches CSI, OSC and other string sequences, two-character escapes, and the one-byte CSI of C1. */
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const SGR = /^\u001b\[(\d{0,3}(?:;\d{1,3})*)m$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ANY_SGR = /\u001b\[[\d;]*m/g;

/** Matches control characters but tab, line feed and the ESC of colours, and characters that reorder or break lines. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an ESC that began no colour
const STRAY_ESCAPE = /\u001b(?!\[[\d;]*m)/g;

/** Matches `::error::` and its like at the start of a line, whatever spaces and colours stand before it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours may stand before the command
const LINE_COMMAND = /^((?:[^\S\n]|\u001b\[[\d;]*m)*):(?=:)/gm;
/** Matches `##vso[`, `##teamcity[`, `##[group]`, anywhere. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours may stand within the command
const SERVICE_MESSAGE = /#(?=(?:\u001b\[[\d;]*m)*#(?:\u001b\[[\d;]*m)*[\w.-]*(?:\u001b\[[\d;]*m)*\[)/g;

/** Cleans a text of several lines: tabs, line breaks and plain colours stay, every other control becomes a space. */
export function cleanText(text: string, options: { keepColors: boolean } = { keepColors: true }): string {
  const escaped = text.replace(ESCAPE_SEQUENCE, (sequence) =>
    isPlainColor(sequence) ? (options.keepColors ? sequence : "") : " ",
  );
  return breakCommands(escaped.replace(UNSAFE, " ").replace(STRAY_ESCAPE, " "));
}

/** Cleans a name or value of somebody else's: no colours, and on one line. */
export function cleanLine(text: string): string {
  const cleaned = text.replace(ESCAPE_SEQUENCE, " ").replace(UNSAFE, " ").replace(STRAY_ESCAPE, " ");
  return breakCommands(cleaned.replaceAll(ANY_SGR, " ").replace(/[\t\n]/g, " "));
}

/** Returns one line of JSON in which such characters and CI commands are written as \uXXXX escapes. */
export function cleanJson(value: unknown): string {
  return (JSON.stringify(value) ?? "null")
    .replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, escapeOf)
    .replace(/##(?=[\w.-]*\[)/g, "#\\u0023");
}

function breakCommands(text: string): string {
  return text.replace(LINE_COMMAND, "$1: ").replace(SERVICE_MESSAGE, "# ");
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** True for weight, underline and colours; codes that hide or blink are no plain colours. */
function isPlainColor(sequence: string): boolean {
  const parameters = SGR.exec(sequence)?.[1];
  if (parameters === undefined) return false;
  const codes = parameters === "" ? [0] : parameters.split(";").map(Number);
  if (codes[0] === 38 || codes[0] === 48) return codes[1] === 5 ? codes.length === 3 : codes.length === 5;
  return codes.every((code) => PLAIN_CODES.has(code));
}

const PLAIN_CODES = new Set([
  0, 1, 2, 3, 4, 22, 23, 24, 39, 49, 30, 31, 32, 33, 34, 35, 36, 37, 40, 41, 42, 43, 44, 45, 46, 47, 90, 91,
  92, 93, 94, 95, 96, 97, 100, 101, 102, 103, 104, 105, 106, 107,
]);
