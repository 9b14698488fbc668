/** Ends connections by which nothing may be written any more, before anybody believes what they say. */
import type pg from "pg";
import { SQLSTATES } from "./sqlstates.ts";

/** Function of the server that gives up waiting for a standby when somebody cancels the statement; never translated. */
const GIVES_UP_WAITING = "SyncRepWaitForLSN";

/** Connections that have ended, or are about to. */
const ended = new WeakSet<pg.Client>();

/** False once the connection has ended or was found useless: a pool then makes another one. */
export function isUsable(client: pg.Client): boolean {
  return !ended.has(client);
}

/** Cuts a connection at once; a query under way fails like that of any cut connection. */
export function cutConnection(client: pg.Client, reason: string): void {
  ended.add(client);
  const error = new Error(`Connection terminated: ${reason}`);
  // pg settles the query under way by this event, also when its answer has arrived in part.
  client.connection.emit("error", error);
  client.connection.stream.destroy();
}

/**
 * Watches a new connection for its end and for two answers of the server. A refusal to write (25006): the server has
 * become a standby or read-only, so the connection ends with its transaction, and the pool looks for the primary. A commit
 * that is confirmed although it did not reach the synchronous standby, because somebody cancelled the wait: the connection
 * is cut before the confirmation counts, so that nobody acknowledges what a failover would lose.
 */
export function guardConnection(client: pg.Client): void {
  const { connection } = client;
  client.on("error", () => ended.add(client));
  client.on("end", () => ended.add(client));
  connection.on("errorMessage", ({ code }: { code?: string }) => {
    if (code !== SQLSTATES.readOnlyTransaction || ended.has(client)) return;
    // No pool hands it out from now on; the transaction that it is in still has to be rolled back.
    ended.add(client);
    connection.on("readyForQuery", ({ status }: { status: string }) => {
      if (status === "I") void client.end().catch(() => undefined);
    });
  });
  client.on("notice", ({ routine }) => {
    if (routine === GIVES_UP_WAITING)
      cutConnection(client, "a commit was not confirmed by the synchronous standby");
  });
}
