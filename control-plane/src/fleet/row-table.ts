/**
 * A hash table of row numbers: finds the row of a key that stands in columns, without an object per row. Open addressing
 * with linear probing; a removal moves the rows behind it up, so that no marks are left. Pure memory.
 */

/** Largest share of the cells that are taken. */
const LOAD_MAX = 0.8;
const CELLS_MIN = 16;

/** Row numbers by the hash of their key. */
export class RowTable {
  readonly #hashOf: (row: number) => number;
  /** Row number + 1 of each cell; 0: free. */
  #cells = new Uint32Array(CELLS_MIN);
  #size = 0;

  /** @param hashOf returns 32 well-mixed bits of the key of a row that is in the table */
  constructor(hashOf: (row: number) => number) {
    this.#hashOf = hashOf;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Finds a row.
   * @param hash of the key that is looked for
   * @param isIt true for the row with that key
   */
  find(hash: number, isIt: (row: number) => boolean): number | undefined {
    for (let cell = this.#home(hash); ; cell = this.#next(cell)) {
      const row = (this.#cells[cell] as number) - 1;
      if (row < 0) return undefined;
      if (isIt(row)) return row;
    }
  }

  /** Adds a row whose key is in no other row. */
  add(row: number): void {
    if (this.#size + 1 > this.#cells.length * LOAD_MAX) this.#grow();
    this.#put(row);
    this.#size++;
  }

  /** Removes the row, whose key must still be in its columns. Does nothing when it is not in the table. */
  remove(row: number): void {
    let hole = this.#home(this.#hashOf(row));
    while (this.#cells[hole] !== row + 1) {
      if (this.#cells[hole] === 0) return;
      hole = this.#next(hole);
    }
    this.#size--;
    for (let cell = this.#next(hole); this.#cells[cell] !== 0; cell = this.#next(cell)) {
      const home = this.#home(this.#hashOf((this.#cells[cell] as number) - 1));
      // A row may move up to the hole unless its home lies behind the hole, seen around the end of the table.
      const isHomeBehind = hole <= cell ? hole < home && home <= cell : hole < home || home <= cell;
      if (isHomeBehind) continue;
      this.#cells[hole] = this.#cells[cell] as number;
      hole = cell;
    }
    this.#cells[hole] = 0;
  }

  #put(row: number): void {
    let cell = this.#home(this.#hashOf(row));
    while (this.#cells[cell] !== 0) cell = this.#next(cell);
    this.#cells[cell] = row + 1;
  }

  #grow(): void {
    const before = this.#cells;
    this.#cells = new Uint32Array(Math.ceil(before.length * 1.5));
    for (const entry of before) if (entry > 0) this.#put(entry - 1);
  }

  /** Returns the cell of a hash: its share of 2^32, as a share of the cells. */
  #home(hash: number): number {
    return Math.floor(((hash >>> 0) / 2 ** 32) * this.#cells.length);
  }

  #next(cell: number): number {
    return cell + 1 === this.#cells.length ? 0 : cell + 1;
  }
}

/** Returns 32 well-mixed bits of a hash and a further part of a key: the finalizer of MurmurHash3 after adding the part. */
export function mixed(hash: number, part: number): number {
  let bits = hash ^ part;
  bits ^= bits >>> 16;
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  bits ^= bits >>> 16;
  return (bits + 0x9e3779b9) | 0;
}
