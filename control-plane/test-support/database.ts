/** A fresh, migrated database for a test file: cloned from the template that the global setup made (about 35 ms). */
import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { inject } from "vitest";
import { learnEngine } from "../src/platform/db/engine.ts";
import { openPool } from "../src/platform/db/pool.ts";
import { dropCitusDatabase, makeCitusDatabase } from "./citus.ts";

export interface TestDatabase {
  knex: Knex;
  /** postgres:// URL, for a process of its own (DATABASE_URL) or a second pool. */
  url: string;
  /** Closes the pool and removes the database, cutting whoever is still connected. */
  drop(): Promise<void>;
}

/** True when the databases of this run are on Citus. */
export const isOnCitus: boolean = inject("testIsOnCitus");

/** Opens a further pool of a test's database, as a second replica has one. */
export async function openSecondPool({ url }: TestDatabase, poolMax: number): Promise<Knex> {
  const knex = openPool(url, { poolMax });
  if (isOnCitus) await learnEngine(knex);
  return knex;
}

/** @param options.template false: an empty database, without the schema */
export async function createTestDatabase(
  options: { template?: boolean; poolMax?: number } = {},
): Promise<TestDatabase> {
  const adminUrl = inject("testPostgresUrl");
  const name = `svc_test_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = adminUrl.replace(/^(postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${name}`);
  const template = options.template === false ? "template0" : inject("testTemplateDatabase");
  const isDistributed = isOnCitus && options.template !== false;
  if (isDistributed) await makeCitusDatabase(adminUrl, { name, template });
  else await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} ${inject("testCloneStrategy")}`);
  const knex = openPool(url, { poolMax: options.poolMax ?? 10 });
  if (isDistributed) await learnEngine(knex);
  return {
    knex,
    url,
    drop: async () => {
      await knex.destroy();
      if (isDistributed) await dropCitusDatabase(adminUrl, name);
      else await asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function asAdmin(url: string, sql: string): Promise<void> {
  const admin = openPool(url, { poolMax: 1 });
  try {
    await admin.raw(sql);
  } finally {
    await admin.destroy();
  }
}
