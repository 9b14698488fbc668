/** Columns of whole numbers, which take no heap and no work of the garbage collector. Entry i of each belongs to row i. Pure memory. */

/** Entries by which a column grows at least. Small, as there may be many short columns. */
const GROWTH_MIN = 4;
const TWO_32 = 2 ** 32;

/** A typed array that a column is made of. */
type Column = Uint8Array | Uint16Array | Uint32Array;

/**
 * Returns the column itself when it has space for `length` entries; else a longer copy. It grows by a sixteenth, so that little
 * stays unused and appending one entry after the other copies each about sixteen times.
 */
export function withSpaceFor<C extends Column>(column: C, length: number): C {
  if (length <= column.length) return column;
  const longer = new (column.constructor as new (length: number) => C)(
    Math.max(length, column.length + GROWTH_MIN, Math.ceil(column.length * 1.0625)),
  );
  longer.set(column);
  return longer;
}

/** A column of whole numbers from 0 to below 2^48, 6 bytes each: keys, revisions and instants. */
export class Uint48Column {
  #low = new Uint32Array(0);
  #high = new Uint16Array(0);

  get(row: number): number {
    return (this.#high[row] as number) * TWO_32 + (this.#low[row] as number);
  }

  /** @throws RangeError for a number that the column can't hold */
  set(row: number, value: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** 48)
      throw new RangeError(`${value} is not a whole number from 0 to below 2^48`);
    this.#low = withSpaceFor(this.#low, row + 1);
    this.#high = withSpaceFor(this.#high, row + 1);
    this.#low[row] = value % TWO_32;
    this.#high[row] = Math.floor(value / TWO_32);
  }
}
