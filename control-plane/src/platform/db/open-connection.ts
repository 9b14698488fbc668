import pg from "pg";
import { guardConnection } from "./guard-connection.ts";

/** Opens a guarded connection within a time; whoever gets it ends it. What a URL says counts before `settings`. */
export async function openConnection(
  server: pg.ClientConfig,
  settings: pg.ClientConfig,
  patienceMs: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    application_name: "svc-control-plane",
    ...server,
    ...settings,
    connectionTimeoutMillis: patienceMs,
  });
  guardConnection(client);
  await client.connect();
  return client;
}
