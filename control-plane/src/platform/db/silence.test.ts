import net, { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { isDatabaseUnavailable } from "./errors.ts";
import { openPool } from "./pool.ts";

const SILENCE_MS = 300;

let database: TestDatabase;
let swallowing: Awaited<ReturnType<typeof startSwallowingProxy>>;

beforeAll(async () => {
  database = await createTestDatabase({ template: false });
  swallowing = await startSwallowingProxy(database.url);
});
afterAll(async () => {
  swallowing.close();
  await database.drop();
});

describe("a connection whose packets are swallowed", () => {
  it("fails its query as an unavailable database does, and the next query finds another connection", async () => {
    const knex = openPool(swallowing.url, { poolMax: 1, silenceMs: SILENCE_MS });
    await knex.raw("SELECT 1");
    swallowing.swallow();
    const error = await knex.raw("SELECT 2").catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error), String(error)).toBe(true);
    expect((await knex.raw("SELECT 3 AS answer")).rows).toEqual([{ answer: 3 }]);
    await knex.destroy();
  });

  it("is distinguished from one that nobody uses, which stays", async () => {
    const knex = openPool(database.url, { poolMax: 1, silenceMs: SILENCE_MS });
    const backend = async () => (await knex.raw("SELECT pg_backend_pid() AS pid")).rows[0].pid;
    const before = await backend();
    await sleep(3 * SILENCE_MS);
    expect(await backend()).toBe(before);
    await knex.destroy();
  });
});

/** Passes connections on to the database; from `swallow()` on those that are open get nothing through, new ones do. */
async function startSwallowingProxy(databaseUrl: string) {
  const { host, port, user, database: name } = new pg.Client(databaseUrl);
  const target = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  const pairs: [net.Socket, net.Socket][] = [];
  const server = net.createServer((from) => {
    const to = net.connect(target);
    for (const socket of [from, to]) socket.on("error", () => undefined);
    from.pipe(to);
    to.pipe(from);
    pairs.push([from, to]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `postgres://${user}@127.0.0.1:${(server.address() as AddressInfo).port}/${name}`,
    swallow: () => {
      for (const [from, to] of pairs) {
        from.unpipe(to);
        to.unpipe(from);
        from.resume();
        to.resume();
      }
    },
    close: () => {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}
