/**
 * Shares one connection between uploads at one time or shortly after each other. A connection that broke is not used
 * again.
 */

type SetTimer = (callback: () => void, delayMs: number) => () => void;

/** Time that an unused connection stays open: a run's files follow one another at once. */
const IDLE_MS = 1_000;

/** Connections in use or idle for a moment. `T` is a connection. */
export class UploadConnections<T extends { close(): void }> {
  readonly #open: () => T;
  readonly #setTimer: SetTimer;
  readonly #users = new Map<T, number>();
  #current: T | undefined;
  #cancelClosing: () => void = () => {};

  constructor(open: () => T, setTimer: SetTimer) {
    this.#open = open;
    this.#setTimer = setTimer;
  }

  /** Returns the shared connection, opened when there is none. Call `release` once for each call. */
  acquire(): T {
    this.#cancelClosing();
    this.#current ??= this.#open();
    this.#users.set(this.#current, (this.#users.get(this.#current) ?? 0) + 1);
    return this.#current;
  }

  /**
   * Ends one use of the connection, which is closed after its last use.
   * @param options.isBroken true: nobody acquires the connection again; present uses go on
   */
  release(connection: T, { isBroken = false } = {}): void {
    if (isBroken && this.#current === connection) this.#current = undefined;
    const users = (this.#users.get(connection) ?? 1) - 1;
    this.#users.set(connection, users);
    if (users > 0) return;
    if (this.#current === connection)
      this.#cancelClosing = this.#setTimer(() => this.#close(connection), IDLE_MS);
    else this.#close(connection);
  }

  #close(connection: T): void {
    if (this.#current === connection) this.#current = undefined;
    this.#users.delete(connection);
    connection.close();
  }
}
