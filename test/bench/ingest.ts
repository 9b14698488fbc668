/**
 * Results made durable end to end (stream, decode, validate, insert, commit, acknowledge) with client, control plane and
 * PostgreSQL at default durability on this machine, beside COPY of the same rows by one connection. Once on an empty
 * table, once with 5 million rows in it. And what a row and its write-ahead log cost in bytes.
 */

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { sendResults } from "./bench-agent.ts";
import { type BenchDatabase, createLoad, fillResults, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, printTable } from "./measure.ts";

const CHECKS = 5000;
const COUNT = 150_000;
const STORED_ROWS = 5_000_000;

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
        await walPosition(database),
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
        "WAL bytes/result": ((await walPosition(database)) - walBefore) / COUNT,
      });
    };

    await ingest("svc, warming up", nowMs);
    await ingest("svc, empty table", nowMs - 400_000);
    rows.push(await copyFloor(database, nowMs - 800_000));
    await fillResults(database, checks, locationKey, nowMs - 3_600_000, STORED_ROWS);
    await database.client.query("CHECKPOINT");
    await ingest("svc, 5 million rows stored", nowMs - 1_200_000);
    await ingest("svc, 5 million rows stored, again", nowMs - 1_600_000);
    printTable(rows);
    await printStorage(database);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
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

async function walPosition({ client }: BenchDatabase): Promise<number> {
  const { rows } = await client.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes");
  return Number(rows[0].bytes);
}

async function printStorage({ client }: BenchDatabase): Promise<void> {
  const { rows } = await client.query(`
    SELECT count(*)::float8 AS rows, sum(pg_relation_size(leaf))::float8 AS heap, sum(pg_indexes_size(leaf))::float8 AS index
    FROM (SELECT DISTINCT tableoid::regclass AS leaf FROM results) leaves`);
  const { rows: counted } = await client.query("SELECT count(*)::float8 AS rows FROM results");
  const stored = counted[0].rows;
  console.log("\nstorage of success results");
  printTable([
    {
      rows: stored,
      "heap bytes/row": rows[0].heap / stored,
      "index bytes/row": rows[0].index / stored,
      "all bytes/row": (rows[0].heap + rows[0].index) / stored,
    },
  ]);
}
