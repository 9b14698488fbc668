/**
 * Measures how deeply JSON text nests before it is parsed: to parse millions of levels, which no document has, takes long.
 * One pass, which can be done in pieces. Strings are skipped; the text need not be valid JSON.
 */

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
/** `[` and `{`, and `]` and `}`, differ by the bit 0x20. */
const OPENING = "{".charCodeAt(0);
const CLOSING = "}".charCodeAt(0);

/** The pass over one text. */
export class JsonDepth {
  readonly #text: string;
  readonly #levelsMax: number;
  #at = 0;
  #level = 0;
  #isInString = false;

  /** @param levelsMax most arrays and objects that may be open at once */
  constructor(text: string, levelsMax: number) {
    this.#text = text;
    this.#levelsMax = levelsMax;
  }

  /** True when the part of the text that was read nests deeper than it may. */
  get isTooDeep(): boolean {
    return this.#level > this.#levelsMax;
  }

  /**
   * Reads on.
   * @returns true when there is more to read
   */
  read(charactersMax: number): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + charactersMax);
    let at = this.#at;
    let level = this.#level;
    let isInString = this.#isInString;
    for (; at < end && level <= this.#levelsMax; at++) {
      const code = text.charCodeAt(at);
      if (isInString) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) isInString = false;
      } else if (code === QUOTE) isInString = true;
      else if ((code | 0x20) === OPENING) level++;
      else if ((code | 0x20) === CLOSING) level--;
    }
    this.#at = at;
    this.#level = level;
    this.#isInString = isInString;
    return at < text.length && !this.isTooDeep;
  }
}
