/** A binary heap of events in simulated time: the next one is found at once, adding and removing take O(log n). */

/** An event of the heap. */
export interface HeapEvent {
  /** Instant at which it is due, Unix ms. */
  atMs: number;
  /** Decides between events of one instant: the lower one comes first. */
  order: number;
}

/** Keeps events so that the next one is found at once. */
export class EventHeap<T extends HeapEvent> {
  readonly #events: T[] = [];

  /** Returns the next event, or undefined when there is none. */
  peek(): T | undefined {
    return this.#events[0];
  }

  /** Adds the event. Neither its instant nor its order may change while it is in the heap. */
  push(event: T): void {
    const events = this.#events;
    let index = events.length;
    events.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, events[parent] as T)) break;
      events[index] = events[parent] as T;
      index = parent;
    }
    events[index] = event;
  }

  /** Removes the next event and returns it, or undefined when there is none. */
  pop(): T | undefined {
    const events = this.#events;
    const next = events[0];
    const last = events.pop();
    if (last === undefined || events.length === 0) return next;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= events.length) break;
      const right = events[child + 1];
      if (right !== undefined && isBefore(right, events[child] as T)) child++;
      if (!isBefore(events[child] as T, last)) break;
      events[index] = events[child] as T;
      index = child;
    }
    events[index] = last;
    return next;
  }
}

function isBefore(a: HeapEvent, b: HeapEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
