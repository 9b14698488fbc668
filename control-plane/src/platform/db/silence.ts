/**
 * Ends connections whose server has fallen silent. A machine that is lost, or a network that swallows packets, tells
 * neither end; the system would wait a quarter of an hour for the answer, and the caller with it.
 */
import type { Socket } from "node:net";

/** The part of pg's Client that is used here. */
export interface PgClient {
  /** False while the server owes an answer. */
  readyForQuery: boolean;
  connection: { stream: Socket };
}

/**
 * Destroys the connection when the server owes an answer and nothing has come or gone for `silenceMs`. Its query fails like
 * that of a cut connection, and the pool makes another connection. An idle connection is left alone.
 * @param silenceMs longer than a statement may take
 */
export function endWhenSilent(client: PgClient, silenceMs: number): void {
  const { stream } = client.connection;
  stream.setTimeout(silenceMs, () => {
    if (client.readyForQuery) return;
    stream.destroy(new Error(`Connection terminated: the database has been silent for ${silenceMs} ms`));
  });
}
