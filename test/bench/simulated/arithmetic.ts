/**
 * The figures of the simulated fleet by closed-form arithmetic, from its sizes, the protocol's encoding and the time constants, and
 * for CPU from unit costs that were measured by themselves. Pure.
 */
import { create, toBinary } from "@bufbuild/protobuf";
import { AssignmentSchema, CheckSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { documentOf } from "../../../control-plane/src/fleet/check-documents.ts";
import {
  BROKEN_STREAM_LEASE_MS,
  HEARTBEAT_INTERVAL_MS,
  LEASE_MS,
  POLL_INTERVAL_MS,
} from "../../../control-plane/src/fleet/timing.ts";
import type { SecretBox } from "../../../control-plane/src/platform/db/secret-box.ts";
import { agentsOf, documentRow, type FleetSize, PERIOD_MS, START_MS } from "./fleet.ts";
import type { Arrivals, Moved, ReplicaMeasures } from "./measures.ts";
import { NETWORK_MS, ROW_MS, STATEMENT_MS } from "./replica.ts";

/** One figure beside the arithmetic. */
export interface Comparison {
  figure: string;
  unit: string;
  measured: number;
  expected: number;
  /** The figure may be so many times larger or smaller; 1: it must be equal. */
  factor: number;
}

/** CPU on the machine of docs/performance.md, microseconds. */
const UNIT_US = {
  checkLoaded: 14,
  assignmentSent: 35,
  result: 7,
  batch: 100,
  poll: 3_000,
  ownerKept: 0.06,
  runnerCompared: 0.008,
  touchedOfStream: 0.03,
};
/** The polls of a minute in which nothing changes. */
const POLLS_US = (60_000 / POLL_INTERVAL_MS) * UNIT_US.poll;
/** CPU differs by as much from machine to machine, and with other work on it. */
const CPU_FACTOR = 4;
/** Bytes of a check's columns: key, revision, instant (6 each), id (16), phase, team, group, position, row (4 each). */
const COLUMN_BYTES = 54;
const OWNER_BYTES = 4;
/** Two tables of row numbers, from 53 to 80 % full. */
const TABLE_BYTES = (2 * 4) / 0.67;
/** Columns grow by a sixteenth. */
const SLACK = 1.03;
/** A result on the wire: key 3, location 1, slot 6, delay 2.33, elapsed 3, status 1, code 2, response 3, phases 13, trace 16. */
const RESULT_BYTES = 50.3;
/** Of a batch: 13 columns of two bytes, trace ids, number and the message around them. */
const BATCH_BYTES = 36;
const HEARTBEAT_BYTES = 33;
const HEARTBEAT_REPLY_BYTES = 16;
const ACK_BYTES = 5.5;
const LATE_MS = 1_000;
const PART_SIZE = 500;

/** Returns each figure of a replica with what it should be. */
export function compare(size: FleetSize, measures: ReplicaMeasures): Comparison[] {
  const { minute, agents } = measures;
  const checkLocations = (size.checks * size.locations * agents) / size.agents;
  return [
    {
      figure: "memory of a check",
      unit: "bytes",
      measured: measures.bytesPerCheck,
      expected: (COLUMN_BYTES + OWNER_BYTES * size.locations + TABLE_BYTES) * SLACK,
      factor: 1.25,
    },
    { ...cpu("start: all checks", measures.loadCpuMs, size.checks * UNIT_US.checkLoaded) },
    {
      figure: "check locations of its agents",
      unit: "",
      measured: measures.assignments,
      expected: checkLocations,
      factor: 1.02,
    },
    {
      figure: "snapshots of its agents",
      unit: "bytes",
      measured: measures.snapshotBytes,
      expected: checkLocations * assignmentBytes(size),
      factor: 1.05,
    },
    cpu("snapshots of its agents", measures.snapshotCpuMs, checkLocations * UNIT_US.assignmentSent),
    {
      figure: "a minute: results",
      unit: "",
      measured: minute.results,
      expected: measures.assignments,
      factor: 1.01,
    },
    { figure: "a minute: results refused", unit: "", measured: minute.rejected, expected: 0, factor: 1 },
    {
      figure: "a minute: rules that fired",
      unit: "",
      measured: minute.fired,
      expected: minute.failures,
      factor: 1,
    },
    {
      figure: "a minute: from its agents",
      unit: "bytes",
      measured: minute.bytesFromAgents,
      expected:
        minute.results * RESULT_BYTES + minute.batches * BATCH_BYTES + minute.heartbeats * HEARTBEAT_BYTES,
      factor: 1.05,
    },
    {
      figure: "a minute: to its agents",
      unit: "bytes",
      measured: minute.bytesToAgents,
      expected: minute.batches * ACK_BYTES + minute.heartbeats * HEARTBEAT_REPLY_BYTES,
      factor: 1.1,
    },
    cpu(
      "a minute",
      minute.cpuMs,
      minute.results * UNIT_US.result + minute.batches * UNIT_US.batch + POLLS_US,
    ),
    ...lossOf("10 % of the agents killed", measures.killed, {
      size,
      measures,
      // The stream breaks, the lease is shortened, and the next poll sees it run out.
      untilSeenMs: BROKEN_STREAM_LEASE_MS + POLL_INTERVAL_MS / 2,
    }),
    ...lossOf("10 % of the agents vanish", measures.vanished, {
      size,
      measures,
      // The lease was renewed at the first poll after a heartbeat, which was half an interval ago.
      untilSeenMs: LEASE_MS - HEARTBEAT_INTERVAL_MS / 2 + POLL_INTERVAL_MS,
    }),
    ...arrivalsOf("a replica dies", measures.replicaDied, {
      size,
      expected: arrivalsAfterDeath(size, measures),
      minutes: 1,
    }),
    ...arrivalsOf("rolling upgrade", measures.upgrade, {
      size,
      expected: arrivalsAtUpgrade(size, measures),
      minutes: size.replicas / 2,
    }),
  ];
}

/** True when a figure is what arithmetic says, within its factor. */
export function agrees({ measured, expected, factor }: Comparison): boolean {
  if (measured === expected) return true;
  const ratio = measured / expected;
  return ratio <= factor && ratio >= 1 / factor;
}

function cpu(figure: string, measuredMs: number, expectedUs: number): Comparison {
  return { figure, unit: "CPU-ms", measured: measuredMs, expected: expectedUs / 1000, factor: CPU_FACTOR };
}

function lossOf(
  event: string,
  moved: Moved,
  { size, measures, untilSeenMs }: { size: FleetSize; measures: ReplicaMeasures; untilSeenMs: number },
): Comparison[] {
  const all = size.checks * size.locations;
  const lost = agentsOf(size).filter((_, index) => index % 10 === 0);
  const left = size.agents - lost.length;
  const leftHere = measures.agents - lost.filter(({ replica }) => replica === measures.replica).length;
  const held = (moved.lost * leftHere) / left;
  const parts = Math.ceil(held / leftHere / PART_SIZE);
  const partMs = 2 * STATEMENT_MS + ROW_MS * Math.min(PART_SIZE, held / leftHere);
  const expectedUs =
    POLLS_US +
    all * UNIT_US.ownerKept +
    moved.lost * (left / size.locations) * UNIT_US.runnerCompared +
    moved.lost * leftHere * UNIT_US.touchedOfStream +
    held * UNIT_US.assignmentSent;
  return [
    {
      figure: `${event}: check locations lost`,
      unit: "",
      measured: moved.lost,
      expected: all / 10,
      factor: 1.1,
    },
    {
      figure: `${event}: of them to its agents`,
      unit: "",
      measured: moved.held,
      expected: held,
      factor: 1.1,
    },
    {
      figure: `${event}: held again, median`,
      unit: "ms",
      measured: moved.p50Ms,
      expected: untilSeenMs + (parts * partMs) / 2 + NETWORK_MS + (expectedUs - POLLS_US) / 1000,
      factor: 1.5,
    },
    {
      figure: `${event}: slots run`,
      unit: "",
      measured: moved.slotsRun,
      expected: moved.slotsExpected,
      factor: 1,
    },
    {
      figure: `${event}: slots run > 1 s late`,
      unit: "",
      measured: moved.slotsLate,
      expected: (moved.held * (moved.p50Ms - LATE_MS)) / PERIOD_MS,
      factor: 1.25,
    },
    cpu(event, moved.cpuMs, expectedUs),
  ];
}

function arrivalsOf(
  event: string,
  arrivals: Arrivals,
  { size, expected, minutes }: { size: FleetSize; expected: number; minutes: number },
): Comparison[] {
  const perAgent = (size.checks * size.locations) / size.agents;
  return [
    { figure: `${event}: agents that come`, unit: "", measured: arrivals.agents, expected, factor: 1.5 },
    { figure: `${event}: owners changed`, unit: "", measured: arrivals.moved, expected: 0, factor: 1 },
    {
      figure: `${event}: sent to them`,
      unit: "bytes",
      measured: arrivals.bytes,
      expected: arrivals.agents * perAgent * assignmentBytes(size),
      factor: 1.1,
    },
    cpu(event, arrivals.cpuMs, arrivals.agents * perAgent * UNIT_US.assignmentSent + minutes * POLLS_US),
  ];
}

function arrivalsAfterDeath(size: FleetSize, { replica }: ReplicaMeasures): number {
  const dead = (replica + 1) % size.replicas;
  return agentsOf(size).filter((agent) => agent.replica === dead).length / (size.replicas - 1);
}

/** Each replica in turn gives its agents to the others in equal parts, those that came to it before included. */
function arrivalsAtUpgrade(size: FleetSize, { replica }: ReplicaMeasures): number {
  const counts = Array.from({ length: size.replicas }, () => size.agents / size.replicas);
  let arrived = 0;
  for (let drained = 0; drained < size.replicas; drained++) {
    const part = (counts[drained] as number) / (size.replicas - 1);
    for (const other of counts.keys())
      counts[other] = other === drained ? 0 : (counts[other] as number) + part;
    if (drained !== replica) arrived += part;
  }
  return arrived;
}

/** Returns the bytes of one check and its assignment in a snapshot: those of a check in the middle, alone. */
function assignmentBytes(size: FleetSize): number {
  const checkKey = Math.ceil(size.checks / 2);
  const { check } = documentOf(documentRow(checkKey), {} as SecretBox, new Map());
  const assignment = create(AssignmentSchema, {
    checkKey: BigInt(checkKey),
    locationKey: 2,
    staggerMs: PERIOD_MS / size.locations,
    effectiveFromMs: BigInt(START_MS),
  });
  const fieldBytes = (bytes: number) => bytes + 1 + (bytes < 128 ? 1 : 2);
  return (
    fieldBytes(toBinary(CheckSchema, check).length) +
    fieldBytes(toBinary(AssignmentSchema, assignment).length)
  );
}
