/**
 * Databases of tests on Citus. A database of a coordinator belongs to those of its name on the workers, so that each is made
 * and removed on all servers; a copy of all of them is a database of its own, with its distributed tables.
 */
import { distributeTables } from "../src/platform/db/distribute.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { openPool } from "../src/platform/db/pool.ts";
import { queryRows } from "../src/platform/db/rows.ts";

/** Returns the URL of the server with another database. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${database}`);
}

/** Makes an empty database on the coordinator and its workers, with the extension, and makes them know one another. */
export async function makeEmptyCitusDatabase(url: string, name: string): Promise<void> {
  const { host, port } = hostOf(url);
  const servers = await serversOf(url);
  await onEach(servers, [`CREATE DATABASE ${name}`]);
  await onEach(
    servers.map((server) => withDatabase(server, name)),
    ["CREATE EXTENSION citus"],
  );
  await onEach(
    [withDatabase(url, name)],
    [
      `SELECT citus_set_coordinator_host('${host}', ${port})`,
      ...servers
        .slice(1)
        .map(hostOf)
        .map((worker) => `SELECT citus_add_node('${worker.host}', ${worker.port})`),
    ],
  );
}

/** Makes a database with the schema, distributed, and closes it to connections, so that it can be copied at any time. */
export async function makeCitusTemplate(url: string, name: string): Promise<void> {
  await makeEmptyCitusDatabase(url, name);
  await migrate(withDatabase(url, name));
  await distributeTables(withDatabase(url, name));
  await onEach(await serversOf(url), [
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  ]);
}

/** Copies a database that was made as a template, with its distributed tables. */
export async function makeCitusDatabase(
  url: string,
  { name, template }: { name: string; template: string },
): Promise<void> {
  await onEach(await serversOf(url), [`CREATE DATABASE ${name} TEMPLATE ${template}`]);
}

/** SQLSTATE of a database that is in use. */
const OBJECT_IN_USE = "55006";
const DROP_ATTEMPTS = 20;

/**
 * Removes a database on all servers, cutting whoever is still connected. Citus has a process of its own in each of its databases, which
 * is started again when it is cut: the removal is tried until it comes in between.
 */
export async function dropCitusDatabase(url: string, name: string): Promise<void> {
  const servers = await serversOf(url);
  for (let attempt = 1; ; attempt++) {
    try {
      return await onEach(servers, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]);
    } catch (error) {
      if ((error as { code?: string }).code !== OBJECT_IN_USE || attempt === DROP_ATTEMPTS) throw error;
    }
  }
}

/** Returns the URLs of the coordinator and of its workers. */
async function serversOf(url: string): Promise<string[]> {
  const pool = openPool(url, { poolMax: 1 });
  try {
    const workers = await queryRows<{ host: string; port: number }>(
      pool,
      "SELECT node_name AS host, node_port AS port FROM citus_get_active_worker_nodes() ORDER BY 1, 2",
    );
    return [url, ...workers.map(({ host, port }) => withHost(url, `${host}:${port}`))];
  } finally {
    await pool.destroy();
  }
}

function hostOf(url: string): { host: string; port: string } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: port || "5432" };
}

function withHost(url: string, host: string): string {
  const changed = new URL(url);
  changed.host = host;
  return changed.href;
}

async function onEach(urls: readonly string[], statements: readonly string[]): Promise<void> {
  await Promise.all(
    urls.map(async (url) => {
      const pool = openPool(url, { poolMax: 1, statementTimeoutMs: 0 });
      try {
        for (const statement of statements) await pool.raw(statement);
      } finally {
        await pool.destroy();
      }
    }),
  );
}
