/** The refusals of the glossary: its table of refused words as patterns, and the places of a text that they match. */

/** One row of the table. */
interface Refusal {
  /** `word`: in any text. `name`: a part of an identifier or of a file's name. `whole name`: an identifier, all of it. */
  kind: "word" | "name" | "whole name";
  /** The refused words as the row writes them. */
  refused: readonly string[];
  pattern: RegExp;
  say: string;
  /** Identifiers and paths that may use the words. */
  exceptions: readonly string[];
}

/** A refused word that a file uses. */
interface Use {
  refusal: Refusal;
  line: number;
  text: string;
}

const HEADING = "## Words that are refused";

/** Identifiers of several parts, wherever they stand, and single words where only code has them. */
const NAMES =
  /[A-Za-z]*[a-z0-9][A-Z][A-Za-z0-9]*|(?<=[.#]|\b(?:const|let|function|async|get|type|interface|class) )[A-Za-z]\w*|\b[a-z]+(?=\()/g;

const COMMENT_MARKS = /(?<=\n)[ \t]*(?:\*|\/\/|#)/g;

/**
 * Returns the rows of the glossary's table of refused words.
 * @throws Error for a row of an unknown kind, or without a refused word
 */
export function parseRefusals(glossary: string): Refusal[] {
  const section = glossary.split(`${HEADING}\n`)[1]?.split(/^## /m)[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| ") && !/^\| (?:Kind|---)/.test(line));
  return rows.map((row) => {
    const [, kind = "", words = "", say = "", except = ""] = row
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
    const refused = codesOf(words);
    if (kind !== "word" && kind !== "name" && kind !== "whole name")
      throw new Error(`unknown kind of refusal: ${row}`);
    if (refused.length === 0) throw new Error(`no refused word: ${row}`);
    return { kind, refused, pattern: patternOf(kind, refused), say, exceptions: codesOf(except) };
  });
}

/** Lists the uses of refused words in a file, its path included. */
export function usesOf(refusals: readonly Refusal[], path: string, content: string): Use[] {
  const names = [...content.matchAll(NAMES)].map(({ index, 0: name }) => ({
    name,
    words: inWords(name),
    index,
  }));
  const text = inWords(content.replaceAll(COMMENT_MARKS, " "));
  return refusals
    .filter(({ exceptions }) => !exceptions.some((one) => one.includes("/") && path.startsWith(one)))
    .flatMap((refusal) => {
      const { kind, pattern, exceptions } = refusal;
      const found =
        kind === "word"
          ? wordsFound(text, pattern, exceptions)
          : names.filter(
              ({ name, words }) => !exceptions.includes(name) && pattern.test(kind === "name" ? words : name),
            );
      const uses = found.map(({ name, index }) => ({
        refusal,
        line: lineAt(kind === "word" ? text : content, index),
        text: name,
      }));
      const isInPath = kind !== "whole name" && pattern.test(inWords(path));
      return isInPath ? [...uses, { refusal, line: 0, text: path }] : uses;
    });
}

function codesOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

function patternOf(kind: Refusal["kind"], refused: readonly string[]): RegExp {
  const words = refused.map((one) => one.replaceAll(" ", String.raw`\s+`)).join("|");
  return kind === "whole name" ? new RegExp(`^(?:${words})$`) : new RegExp(`\\b(?:${words})\\b`);
}

/** Returns the text in lower-case words: `takeLane` is `take lane`. */
function inWords(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

/** Finds words and phrases, which may go on in the next line of a comment. */
function wordsFound(
  text: string,
  pattern: RegExp,
  exceptions: readonly string[],
): { name: string; index: number }[] {
  const kept = exceptions.reduce(
    (rest, exception) => rest.replaceAll(exception, (phrase) => " ".repeat(phrase.length)),
    text,
  );
  return [...kept.matchAll(new RegExp(pattern, "g"))].map(({ 0: name, index }) => ({
    name: name.replaceAll(/\s+/g, " "),
    index,
  }));
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
