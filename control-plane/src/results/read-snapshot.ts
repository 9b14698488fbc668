import type { Knex } from "knex";

/**
 * Runs statements that all see the same results. The table is locked before the snapshot is taken: otherwise hours that are
 * merged into a part of their day in between would be gone, and the part's rows not yet there.
 */
export function readSnapshot<Answer>(knex: Knex, read: (trx: Knex) => Promise<Answer>): Promise<Answer> {
  return knex.transaction(
    async (trx) => {
      await trx.raw("LOCK TABLE ONLY results IN ACCESS SHARE MODE");
      return read(trx);
    },
    { isolationLevel: "repeatable read", readOnly: true },
  );
}
