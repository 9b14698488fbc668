import type { Knex } from "knex";
import type pg from "pg";

/** Time limit of a statement: the index of six hours of a large fleet takes minutes. */
const STATEMENT_TIMEOUT = "60min";

/**
 * Runs statements that may take minutes without a word, or may not be in a transaction, each as one of its own on a connection that
 * ends with them.
 */
export async function onOwnConnection(db: Knex, statements: readonly string[]): Promise<void> {
  const client = (await db.client.acquireRawConnection()) as pg.Client;
  // The statement under way rejects; without a listener the event would end the process.
  client.on("error", () => undefined);
  try {
    await client.query(`SET statement_timeout = '${STATEMENT_TIMEOUT}'`);
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}
