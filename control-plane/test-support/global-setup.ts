/**
 * vitest's global setup: one PostgreSQL server for the whole run, with a migrated template to clone from.
 * The embedded server in a temp folder, without fsync (durability is tested elsewhere, on servers of its own); or the one
 * that SVC_TEST_POSTGRES_URL names (an account that may create databases), so that the suite also covers other versions;
 * or a Citus coordinator with its workers, that SVC_TEST_CITUS_URL names (an account that is a superuser on all of them).
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Knex } from "knex";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../src/platform/db/embedded.ts";
import { migrate } from "../src/platform/db/migrate.ts";
import { openPool } from "../src/platform/db/pool.ts";
import { dropCitusDatabase, makeCitusTemplate, withDatabase } from "./citus.ts";
import { endWithThisProcess } from "./end-with-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** postgres:// URL of an account that may create databases, without a database. */
    testPostgresUrl: string;
    testTemplateDatabase: string;
    /** True when the databases of tests are those of a Citus coordinator with its workers. */
    testIsOnCitus: boolean;
    /** End of a CREATE DATABASE statement: how the server copies the template. Empty before PostgreSQL 15. */
    testCloneStrategy: string;
    /** A folder of this run, for what its tests make once for all. */
    testFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const citus = process.env.SVC_TEST_CITUS_URL;
  const given = citus ?? process.env.SVC_TEST_POSTGRES_URL;
  const server = given ? { url: given, stop: async () => undefined } : await startServer();
  const template = `svc_template_${process.pid}_${randomBytes(3).toString("hex")}`;
  const admin = openPool(server.url, { poolMax: 1 });
  if (citus) await makeCitusTemplate(citus, template);
  else {
    await admin.raw(`CREATE DATABASE ${template}`);
    await migrate(withDatabase(server.url, template));
  }
  project.provide("testIsOnCitus", citus !== undefined);
  project.provide("testPostgresUrl", server.url);
  project.provide("testTemplateDatabase", template);
  project.provide("testCloneStrategy", await cloneStrategy(admin));
  const testFolder = mkdtempSync(join(tmpdir(), "svc-test-run-"));
  project.provide("testFolder", testFolder);
  return async () => {
    rmSync(testFolder, { recursive: true, force: true });
    if (citus) await dropCitusDatabase(citus, template);
    else if (given) await admin.raw(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    await admin.destroy();
    await server.stop();
  };
}

/**
 * Copies files instead of logging each block: a fifth of the time, since a server of tests needs no checkpoint that is
 * durable.
 */
async function cloneStrategy(admin: Knex): Promise<string> {
  const { rows } = await admin.raw<{ rows: { server_version_num: string }[] }>("SHOW server_version_num");
  return Number(rows[0]?.server_version_num) >= 150_000 ? "STRATEGY FILE_COPY" : "";
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "svc-test-"));
  const postgres = await startEmbeddedPostgres({
    folder,
    log: pino({ level: "silent" }),
    initdbArguments: ["--no-sync"],
    serverArguments: [
      "-F",
      "-c",
      "synchronous_commit=off",
      "-c",
      "full_page_writes=off",
      "-c",
      "max_connections=300",
      "-c",
      "max_prepared_transactions=0",
    ],
  });
  endWithThisProcess(postgres.pid, folder);
  const { host, user } = postgres.connection;
  return {
    url: `postgres:///postgres?host=${encodeURIComponent(String(host))}&user=${user}`,
    stop: async () => {
      await postgres.stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
