/**
 * Results made durable end to end (stream, decode, validate, insert, commit, acknowledge) with client, control plane and
 * PostgreSQL at default durability on this machine, beside COPY of the same rows by one connection: in an empty table, in
 * an hour that is a quarter full after a checkpoint, and in such an hour with rows of earlier days stored (SVC_BENCH_ROWS). Then
 * the merge of six hours into a part of a day. And the bytes of a row and of its write-ahead log. All results come in time, as nearly all do.
 */

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DAY_MS, HOUR_MS } from "@svc/contract";
import { from as copyFrom } from "pg-copy-streams";
import { ADVISORY_LOCKS } from "../../control-plane/src/platform/db/advisory-locks.ts";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { mergeResults } from "../../control-plane/src/results/merge/merge-results.ts";
import { listHours } from "../../control-plane/src/results/merge/store.ts";
import {
  createPartitions,
  dayOf,
  PART_MS,
  partOf,
  partPartitionName,
} from "../../control-plane/src/results/retention/partitions.ts";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { sendResults } from "./bench-agent.ts";
import {
  type BenchDatabase,
  createLoad,
  fillResults,
  type LoadCheck,
  openBenchDatabase,
} from "./bench-database.ts";
import { cpuMs, printTable } from "./measure.ts";

const CHECKS = 30_000;
const COUNT = 150_000;
const STORED_ROWS = Number(process.env.SVC_BENCH_ROWS ?? 5_000_000);
/** Rows in the hour that results are sent for, at least. */
const HOUR_ROWS = 900_000;
/** Rows of the part of a day that is merged. */
const MERGED_ROWS = 3_000_000;
/** Seconds between two slots of a check in that part, so that its rows lie in all six hours. */
const MERGED_EVERY_SECONDS = 210;

export async function ingestBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({ dataDir: folder.path });
  try {
    const database = await openBenchDatabase(folder.path);
    const { runnerKey, locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    const nowMs = Date.now();
    const rows = [];
    let runnerNumber = 0;
    const ingest = async (title: string, newestSlotMs: number) => {
      const [walBefore, planeBefore, databaseBefore, ownBefore, startMs] = [
        await database.walBytes(),
        cpuMs(controlPlane.process.pid),
        database.cpuMs(),
        process.cpuUsage(),
        performance.now(),
      ];
      const rejected = await sendResults(
        {
          port: controlPlane.runnerPort,
          runnerKey,
          runnerUuid: `00000000-0000-4000-8000-00000000000${runnerNumber++}`,
        },
        checks,
        locationKey,
        newestSlotMs,
        COUNT,
      );
      if (rejected > 0) throw new Error(`${rejected} results were rejected`);
      const seconds = (performance.now() - startMs) / 1000;
      const own = process.cpuUsage(ownBefore);
      rows.push({
        path: title,
        "results/s": COUNT / seconds,
        "control plane CPU-us": ((cpuMs(controlPlane.process.pid) - planeBefore) * 1000) / COUNT,
        "PostgreSQL CPU-us": ((database.cpuMs() - databaseBefore) * 1000) / COUNT,
        "client CPU-us": (own.user + own.system) / COUNT,
        "WAL bytes/result": ((await database.walBytes()) - walBefore) / COUNT,
      });
    };

    await ingest("svc, warming up", nowMs);
    await ingest("svc, empty table", nowMs - 400_000);
    rows.push(await copyFloor(database, nowMs - 800_000));
    const fillHour = () =>
      fillResults(database, checks, locationKey, Date.now() - 300_000, {
        count: HOUR_ROWS,
        order: "by slot",
      });
    await fillHour();
    await database.client.query("CHECKPOINT");
    await ingest("svc, nothing else stored, filled hour", Date.now() - 240_000);
    await ingest("svc, nothing else stored, same hour again", Date.now() - 180_000);
    await fillResults(database, checks, locationKey, nowMs - 2 * DAY_MS, {
      count: STORED_ROWS,
      order: "by check",
    });
    await fillHour();
    await database.client.query("CHECKPOINT");
    await ingest(`svc, ${STORED_ROWS / 1e6} million rows stored, filled hour`, Date.now() - 240_000);
    await ingest(`svc, ${STORED_ROWS / 1e6} million rows stored, same hour again`, Date.now() - 180_000);
    rows.push(await measureMerge(database, checks, locationKey));
    printTable(rows);
    await printStorage(database);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

/** Merges the six hours of a part of a day that ended long ago, as the service does, but without a rest. */
async function measureMerge(database: BenchDatabase, checks: readonly LoadCheck[], locationKey: number) {
  const knex = openPool(database.url, { poolMax: 2 });
  // The service would merge the same hours beside it.
  await database.client.query("SELECT pg_advisory_lock($1)", [ADVISORY_LOCKS.merge]);
  const partMs = dayOf(Date.now()) - 20 * DAY_MS;
  const lastMs = partMs + PART_MS - 1;
  await createPartitions(knex, { fromMs: partMs, toMs: lastMs, hourlyFromMs: partMs });
  await fillResults(database, checks, locationKey, lastMs, {
    count: MERGED_ROWS,
    order: "by slot",
    everySeconds: MERGED_EVERY_SECONDS,
  });
  const hours = async () => (await listHours(knex)).filter((hour) => partOf(hour) === partMs).length;
  if ((await hours()) !== PART_MS / HOUR_MS) throw new Error("the part does not have its hours");
  const [walBefore, databaseBefore, ownBefore, startMs] = [
    await database.walBytes(),
    database.cpuMs(),
    process.cpuUsage(),
    performance.now(),
  ];
  while ((await hours()) > 0) await mergeResults(knex, Date.now());
  const own = process.cpuUsage(ownBefore);
  const row = {
    path: "merge of a part of a day",
    "results/s": MERGED_ROWS / ((performance.now() - startMs) / 1000),
    "control plane CPU-us": (own.user + own.system) / MERGED_ROWS,
    "PostgreSQL CPU-us": ((database.cpuMs() - databaseBefore) * 1000) / MERGED_ROWS,
    "client CPU-us": "-",
    "WAL bytes/result": ((await database.walBytes()) - walBefore) / MERGED_ROWS,
  };
  const merged = await database.client.query(
    `SELECT count(*)::integer AS rows FROM ${partPartitionName(partMs)}`,
  );
  if (merged.rows[0].rows !== MERGED_ROWS) throw new Error(`${merged.rows[0].rows} rows were merged`);
  await knex.destroy();
  return row;
}

/** COPY of rows of the same content into a table of the same columns and key, in one connection. */
async function copyFloor(database: BenchDatabase, newestSlotMs: number) {
  const { client } = database;
  await client.query("CREATE TABLE copy_floor (LIKE results INCLUDING ALL)");
  const columns =
    "check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, dns_lookup_us, tcp_connect_us, ttfb_us, content_transfer_us, http_status_code, status, trace_id";
  const lines = function* () {
    for (let i = 0; i < COUNT; i += 500) {
      let text = "";
      for (let j = i; j < i + 500; j++)
        text += `${j % CHECKS}\t1\t${newestSlotMs - Math.floor(j / CHECKS) * 10_000}\t1\t1\t3000\t2500\t100\t200\t1500\t200\t200\t1\t07070707-0707-0707-0707-070707070707\n`;
      yield text;
    }
  };
  const [databaseBefore, ownBefore, startMs] = [database.cpuMs(), process.cpuUsage(), performance.now()];
  await pipeline(Readable.from(lines()), client.query(copyFrom(`COPY copy_floor (${columns}) FROM STDIN`)));
  const seconds = (performance.now() - startMs) / 1000;
  const own = process.cpuUsage(ownBefore);
  await client.query("DROP TABLE copy_floor");
  return {
    path: "floor: COPY, one connection",
    "results/s": COUNT / seconds,
    "control plane CPU-us": "-",
    "PostgreSQL CPU-us": ((database.cpuMs() - databaseBefore) * 1000) / COUNT,
    "client CPU-us": (own.user + own.system) / COUNT,
    "WAL bytes/result": "-",
  };
}

async function printStorage({ client }: BenchDatabase): Promise<void> {
  const { rows } = await client.query(`
    SELECT relid::regclass::text AS name, count::float8 AS rows, pg_relation_size(relid)::float8 AS heap,
      pg_indexes_size(relid)::float8 AS index
    FROM (SELECT tableoid AS relid, count(*) FROM results GROUP BY tableoid) leaves ORDER BY name`);
  console.log("\nstorage of success results");
  printTable(
    rows.map(({ name, rows: stored, heap, index }) => ({
      table: name,
      rows: stored,
      "heap bytes/row": heap / stored,
      "index bytes/row": index / stored,
      "all bytes/row": (heap + index) / stored,
    })),
  );
}
