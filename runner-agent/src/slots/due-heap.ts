/**
 * A binary heap of items that fall due. Each item holds its index in the heap, so that it can be removed or moved in
 * O(log n).
 */

/** An item of the heap. */
export interface Due {
  dueMs: number;
  /** Index in the heap; -1 outside. Written by the heap only. */
  heapIndex: number;
}

/** Keeps items so that the one that falls due first is found at once. */
export class DueHeap<T extends Due> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** Returns the earliest item, or undefined when the heap is empty. */
  peek(): T | undefined {
    return this.#items[0];
  }

  /** Adds the item, or moves it after a change of its `dueMs`. */
  put(item: T): void {
    if (item.heapIndex < 0) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
    }
    this.#down(this.#up(item));
  }

  /** Removes the item. Does nothing when it is not in the heap. */
  remove(item: T): void {
    const index = item.heapIndex;
    if (index < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop() as T;
    if (last === item) return;
    last.heapIndex = index;
    this.#items[index] = last;
    this.#down(this.#up(last));
  }

  #up(item: T): T {
    const items = this.#items;
    let index = item.heapIndex;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex] as T;
      if (parent.dueMs <= item.dueMs) break;
      items[index] = parent;
      parent.heapIndex = index;
      index = parentIndex;
    }
    items[index] = item;
    item.heapIndex = index;
    return item;
  }

  #down(item: T): void {
    const items = this.#items;
    let index = item.heapIndex;
    for (;;) {
      let childIndex = 2 * index + 1;
      if (childIndex >= items.length) break;
      const right = items[childIndex + 1];
      if (right !== undefined && right.dueMs < (items[childIndex] as T).dueMs) childIndex++;
      const child = items[childIndex] as T;
      if (child.dueMs >= item.dueMs) break;
      items[index] = child;
      child.heapIndex = index;
      index = childIndex;
    }
    items[index] = item;
    item.heapIndex = index;
  }
}
