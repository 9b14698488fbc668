/**
 * A fleet of any size, with time, network and database simulated: a million checks at three locations every 60 s, 300 agents and
 * 12 replicas. The grid, assignment, streams, messages and rules are the real ones. Each replica's whole state is in a process of
 * its own, of which a sample runs; each figure stands beside closed-form arithmetic, and one that is off by more than its factor
 * fails the benchmark. Sizes: SVC_SIMULATE_CHECKS, _AGENTS, _LOCATIONS, _REPLICAS; SVC_SIMULATE_SAMPLE: replicas to run.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { LEASE_MS } from "../../control-plane/src/fleet/timing.ts";
import { ROOT } from "../harness/control-plane.ts";
import { printTable } from "./measure.ts";
import { agrees, type Comparison, compare } from "./simulated/arithmetic.ts";
import type { FleetSize } from "./simulated/fleet.ts";
import type { ReplicaMeasures } from "./simulated/measures.ts";
import { measureRollups } from "./simulated/rollups.ts";

const SIZE: FleetSize = {
  checks: Number(process.env.SVC_SIMULATE_CHECKS ?? 1_000_000),
  locations: Number(process.env.SVC_SIMULATE_LOCATIONS ?? 3),
  agents: Number(process.env.SVC_SIMULATE_AGENTS ?? 300),
  replicas: Number(process.env.SVC_SIMULATE_REPLICAS ?? 12),
};
/** The first replica has the most agents, the last one the fewest. */
const SAMPLE = (process.env.SVC_SIMULATE_SAMPLE ?? `0,${SIZE.replicas - 1}`).split(",").map(Number);
const HEAP_MIB = 4_096;
const PROGRAM = join(import.meta.dirname, "simulated/run-replica.ts");

export async function simulateBench(): Promise<void> {
  const { checks, locations, agents, replicas } = SIZE;
  console.log(`${checks} checks x ${locations} locations x 60 s, ${agents} agents, ${replicas} replicas\n`);
  // Two at a time, as a replica is one thread and this machine may have two cores.
  const measured: ReplicaMeasures[] = [];
  for (let at = 0; at < SAMPLE.length; at += 2)
    measured.push(...(await Promise.all(SAMPLE.slice(at, at + 2).map(runReplica))));
  const off: string[] = [];
  for (const measures of measured) {
    const comparisons = compare(SIZE, measures);
    console.log(`Replica ${measures.replica}, with ${measures.agents} agents\n`);
    printTable(comparisons.map(rowOf));
    console.log();
    for (const one of comparisons) if (!agrees(one)) off.push(`replica ${measures.replica}: ${one.figure}`);
  }
  printTable(measured.map(summaryOf));
  off.push(...(await rollups()));
  if (off.length > 0) throw new Error(`not as arithmetic says: ${off.join("; ")}`);
}

/** The rollups alone. */
export async function rollupsBench(): Promise<void> {
  if ((await rollups()).length > 0) throw new Error("the rollups did not count what was stored");
}

async function runReplica(replica: number): Promise<ReplicaMeasures> {
  if (!(replica >= 0 && replica < SIZE.replicas)) throw new Error(`there is no replica ${replica}`);
  const words = [`--max-old-space-size=${HEAP_MIB}`, "--import", "tsx", PROGRAM];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...words, JSON.stringify(SIZE), String(replica)],
    { cwd: ROOT, maxBuffer: 1024 * 1024 },
  );
  return JSON.parse(stdout) as ReplicaMeasures;
}

function rowOf(comparison: Comparison): Record<string, string | number> {
  const { figure, unit, measured, expected, factor } = comparison;
  return {
    figure,
    unit,
    measured,
    "by arithmetic": expected,
    ratio: measured === expected ? 1 : measured / expected,
    "within a factor of": factor,
    "": agrees(comparison) ? "" : "OFF",
  };
}

/** What a replica and an agent take, and the number of checks at which the replica's loop would stand still for a lease. */
function summaryOf(measures: ReplicaMeasures): Record<string, string | number> {
  const { minute, killed, vanished, agents, replica } = measures;
  const longestPollMs = Math.max(killed.longestPollMs, vanished.longestPollMs);
  return {
    replica,
    "RSS MiB": measures.rssMiB,
    "bytes a check": measures.bytesPerCheck,
    "of them heap": measures.heapBytesPerCheck,
    "bytes a check location of an agent": measures.bytesPerAssignment,
    "bytes a rule": measures.bytesPerRule,
    "% of a core, decode and judge": minute.cpuMs / 600,
    "KB a minute from an agent": minute.bytesFromAgents / agents / 1000,
    "to it": minute.bytesToAgents / agents / 1000,
    "longest hold of the loop, CPU-ms": longestPollMs,
    "that is a lease at checks": Math.round((SIZE.checks * LEASE_MS) / longestPollMs),
  };
}

/** Measures the rollups in the database, which all replicas share. @returns the figures that are off */
async function rollups(): Promise<string[]> {
  const measured = await measureRollups();
  const { results, counted, rows, expectedRows, historyRows, bucketUs, hourUs, walBytes } = measured;
  const perSecond = (SIZE.checks * SIZE.locations) / 60;
  console.log("\nRollups, by the real SQL on a sample whose checks run every 60 s\n");
  printTable([
    {
      results,
      "rows before": historyRows,
      "counted / by arithmetic": `${counted} / ${results}`,
      "rows / by arithmetic": `${rows} / ${expectedRows}`,
      "PostgreSQL CPU-us a result, buckets": bucketUs,
      hours: hourUs,
      "WAL bytes/result": walBytes,
      "stored bytes of five minutes": measured.bucketRowBytes,
      "of an hour": measured.hourRowBytes,
      "cores for the whole fleet": (perSecond * (bucketUs + hourUs)) / 1e6,
    },
  ]);
  return counted === results && rows === expectedRows ? [] : ["rollups"];
}
