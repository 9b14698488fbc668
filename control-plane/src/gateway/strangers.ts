/** The connections without a runner key, so that the oldest ones of the busiest address make way for others. */

/** Holds connections by address, the oldest first. Changes and queries of one address take constant time. */
export class Strangers<Connection extends { readonly address: string }> {
  readonly #byAddress = new Map<string, Set<Connection>>();
  #count = 0;

  /** Number of connections, over all addresses. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds a connection as the newest of its address.
   * @returns the number of the address's connections
   */
  add(connection: Connection): number {
    const ofAddress = this.#byAddress.get(connection.address) ?? new Set();
    this.#byAddress.set(connection.address, ofAddress);
    ofAddress.add(connection);
    this.#count++;
    return ofAddress.size;
  }

  /** Removes a connection. Harmless when it was removed before. */
  remove(connection: Connection): void {
    const ofAddress = this.#byAddress.get(connection.address);
    if (!ofAddress?.delete(connection)) return;
    this.#count--;
    if (ofAddress.size === 0) this.#byAddress.delete(connection.address);
  }

  /** Removes and returns the oldest connection of an address; undefined when it has none. */
  removeOldestOf(address: string): Connection | undefined {
    const oldest = this.#byAddress.get(address)?.values().next().value;
    if (oldest) this.remove(oldest);
    return oldest;
  }

  /** Removes and returns the oldest connection of the address that has most; undefined when there are none. */
  removeOldest(): Connection | undefined {
    let largest: Set<Connection> | undefined;
    for (const ofAddress of this.#byAddress.values())
      if (!largest || ofAddress.size > largest.size) largest = ofAddress;
    const oldest = largest?.values().next().value;
    if (oldest) this.remove(oldest);
    return oldest;
  }
}
