/** Queues of one kind of item, one for each team that has any. Teams take turns, so that a long queue holds up no other. */

const SHORTENED_AT = 1024;

/** One team's items, first in, first out. */
class Queue<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  add(item: T): void {
    this.#items.push(item);
  }

  remove(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    if (this.#head === this.#items.length || this.#head > SHORTENED_AT) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/** Queues items by team, and removes them in turns. */
export class TeamQueues<T> {
  /** In the order of the teams' turns. A team without items has no queue. */
  readonly #queues = new Map<number, Queue<T>>();
  #size = 0;

  /** Items in all queues. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item behind the others of its team. */
  add(teamNumber: number, item: T): void {
    let queue = this.#queues.get(teamNumber);
    if (queue === undefined) {
      queue = new Queue();
      this.#queues.set(teamNumber, queue);
    }
    queue.add(item);
    this.#size++;
  }

  /** Removes and returns the oldest item of the team whose turn it is, among those that `mayEnter` accepts. */
  removeNext(mayEnter: (teamNumber: number) => boolean): T | undefined {
    for (const [teamNumber, queue] of this.#queues) {
      if (!mayEnter(teamNumber)) continue;
      const item = this.#removeFirst(teamNumber, queue);
      if (queue.size > 0 && this.#queues.size > 1) {
        this.#queues.delete(teamNumber);
        this.#queues.set(teamNumber, queue);
      }
      return item;
    }
    return undefined;
  }

  /** Removes and returns the oldest item of each team for as long as `hasExpired` holds for it. */
  removeExpired(hasExpired: (item: T) => boolean): T[] {
    const expired: T[] = [];
    for (const [teamNumber, queue] of this.#queues) {
      for (let item = queue.peek(); item !== undefined && hasExpired(item); item = queue.peek()) {
        expired.push(item);
        this.#removeFirst(teamNumber, queue);
      }
    }
    return expired;
  }

  #removeFirst(teamNumber: number, queue: Queue<T>): T | undefined {
    this.#size--;
    const item = queue.remove();
    if (queue.size === 0) this.#queues.delete(teamNumber);
    return item;
  }
}
