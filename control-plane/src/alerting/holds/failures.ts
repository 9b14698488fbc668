/** Failures of a round of work of which one piece must not keep the others from their turn. */
import { isDatabaseUnavailable, isLockTimeout, isStatementTimeout } from "../../platform/db/errors.ts";

/** Collects the failures of a round, and throws them at its end. */
export class Failures {
  readonly #errors: unknown[] = [];

  /**
   * Does the work, and keeps its error for later.
   * @returns true when it was done
   * @throws the error when the database is away, so that nothing else would work
   */
  async collect(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // These two are about one statement, and the row or lock of one team that it waits for.
      const isOfStatement = isStatementTimeout(error) || isLockTimeout(error);
      if (isDatabaseUnavailable(error) && !isOfStatement) throw error;
      this.#errors.push(error);
      return false;
    }
  }

  /**
   * @param of words for the pieces of work, as in "reviews of held alerts"
   * @throws AggregateError when there was a failure
   */
  throwAny(of: string): void {
    const { length } = this.#errors;
    if (length > 0) throw new AggregateError(this.#errors, `${length} ${of} failed`);
  }
}
