/** The ids of checks as their 128 bits, 16 bytes each instead of a string's 48. Pure memory. */
import { ID_PREFIXES } from "@svc/contract";
import { withSpaceFor } from "./columns.ts";
import { mixed } from "./row-table.ts";

const BYTES = 16;
/** Digits of a TypeID, five bits each but for the first one, which has three. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const DIGIT_COUNT = 26;
const FIRST_DIGIT_BITS = 3;
const DIGIT_BITS = 5;
const PREFIX = `${ID_PREFIXES.check}_`;
const VALUE_OF_CODE = new Int8Array(128).fill(-1);
for (let value = 0; value < DIGITS.length; value++) VALUE_OF_CODE[DIGITS.charCodeAt(value)] = value;

/** Ids by row. One that is no TypeID of a check is kept as its text. */
export class CheckIdColumn {
  #bytes = new Uint8Array(0);
  readonly #others = new Map<number, string>();
  /** The id that is being looked for. */
  readonly #wanted = new Uint8Array(BYTES);

  get(row: number): string {
    return this.#others.get(row) ?? textOf(this.#bytes, row * BYTES);
  }

  set(row: number, id: string): void {
    this.#bytes = withSpaceFor(this.#bytes, (row + 1) * BYTES);
    const at = row * BYTES;
    if (parseInto(this.#bytes, at, id)) this.#others.delete(row);
    else {
      this.#bytes.fill(0, at, at + BYTES);
      this.#others.set(row, id);
    }
  }

  /** Returns 32 well-mixed bits of the row's id. */
  hashOf(row: number): number {
    const other = this.#others.get(row);
    return other === undefined ? hashOfBytes(this.#bytes, row * BYTES) : hashOfText(other);
  }

  /** Returns the hash of an id, and the test whether a row has it. The test holds until the next call. */
  lookFor(id: string): { hash: number; isIt: (row: number) => boolean } {
    if (!parseInto(this.#wanted, 0, id))
      return { hash: hashOfText(id), isIt: (row) => this.#others.get(row) === id };
    return {
      hash: hashOfBytes(this.#wanted, 0),
      isIt: (row) => !this.#others.has(row) && this.#isWantedAt(row * BYTES),
    };
  }

  #isWantedAt(at: number): boolean {
    for (let i = 0; i < BYTES; i++) if (this.#bytes[at + i] !== this.#wanted[i]) return false;
    return true;
  }
}

/** Writes the bits of an id. @returns false when it is no TypeID of a check; then the bytes are of no use */
function parseInto(bytes: Uint8Array, at: number, id: string): boolean {
  if (id.length !== PREFIX.length + DIGIT_COUNT || !id.startsWith(PREFIX)) return false;
  let bits = digitOf(id.charCodeAt(PREFIX.length));
  if (bits < 0 || bits >= 1 << FIRST_DIGIT_BITS) return false;
  let count = FIRST_DIGIT_BITS;
  let next = at;
  for (let i = PREFIX.length + 1; i < id.length; i++) {
    const value = digitOf(id.charCodeAt(i));
    if (value < 0) return false;
    bits = (bits << DIGIT_BITS) | value;
    count += DIGIT_BITS;
    if (count < 8) continue;
    count -= 8;
    bytes[next++] = bits >> count;
    bits &= (1 << count) - 1;
  }
  return true;
}

/** Returns the value of a digit; -1 for a character that is none. */
function digitOf(code: number): number {
  return code < VALUE_OF_CODE.length ? (VALUE_OF_CODE[code] as number) : -1;
}

function textOf(bytes: Uint8Array, at: number): string {
  let text = PREFIX;
  let bits = 0;
  let count = 0;
  let next = at;
  for (let i = 0; i < DIGIT_COUNT; i++) {
    const digitBits = i === 0 ? FIRST_DIGIT_BITS : DIGIT_BITS;
    if (count < digitBits) {
      bits = (bits << 8) | (bytes[next++] as number);
      count += 8;
    }
    count -= digitBits;
    text += DIGITS[bits >> count];
    bits &= (1 << count) - 1;
  }
  return text;
}

function hashOfBytes(bytes: Uint8Array, at: number): number {
  let hash = 0;
  for (let i = at; i < at + BYTES; i += 4)
    hash = mixed(
      hash,
      ((bytes[i] as number) << 24) |
        ((bytes[i + 1] as number) << 16) |
        ((bytes[i + 2] as number) << 8) |
        (bytes[i + 3] as number),
    );
  return hash;
}

function hashOfText(text: string): number {
  let hash = text.length;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  return hash;
}
