/**
 * The program of one simulated replica: `<sizes as JSON> <replica>`. It goes through the events of the benchmark `simulate` and
 * prints its figures as one line of JSON. Run with `--expose-gc`.
 */
import { slotAtOrAfter, staggerMs } from "@svc/contract";
import { HEARTBEAT_INTERVAL_MS } from "../../../control-plane/src/fleet/timing.ts";
import { reconnectDelayMs } from "../../../runner-agent/src/network/reconnect-delay.ts";
import { collectGarbage, quantile, rssMiB } from "../measure.ts";
import { type Held, recordOf, SimulatedAgent } from "./agent.ts";
import {
  type AgentPosition,
  agentsOf,
  chance,
  type FleetSize,
  PERIOD_MS,
  phaseOf,
  START_MS,
} from "./fleet.ts";
import { Intake } from "./intake.ts";
import { heartbeatAtOrBefore, Leases, pollAtOrAfter } from "./leases.ts";
import type { Arrivals, Moved, ReplicaMeasures } from "./measures.ts";
import { NETWORK_MS, SimulatedReplica } from "./replica.ts";
import { bytesOfRule } from "./rules.ts";
import { SimulatedTime } from "./time.ts";

const MINUTE_MS = 60_000;
/** An agent writes its results to its spool, and sends them, this often. */
const SPOOL_MS = 50;
const SLOT_LOOK_MS = 250;
/** A run that begins later than this after its slot counts as late. */
const LATE_MS = 1_000;
/** Time between two replicas of a rolling upgrade. */
const UPGRADE_STEP_MS = 30_000;
const DRAINED_DELAY_MS = 500;
/** One agent of so many is lost at once. */
const LOST_ONE_IN = 10;

const size = JSON.parse(process.argv[2] ?? "") as FleetSize;
const replicaNumber = Number(process.argv[3]);
const time = new SimulatedTime(START_MS);
time.install();
const leases = new Leases(agentsOf(size));
const replica = new SimulatedReplica(time, () => leases.rows(time.nowMs));
const own = leases.agents.filter((agent) => agent.replica === replicaNumber);
let agents: SimulatedAgent[] = [];
/** When each agent lost the stream that it had before, Unix ms. */
const leftAtMs = new Map<SimulatedAgent, number>();

const print = process.stdout.write.bind(process.stdout);
print(`${JSON.stringify(await measure())}\n`);
process.exit(0);

async function measure(): Promise<ReplicaMeasures> {
  const bytesPerRule = await bytesOfRule();
  const empty = memory();
  const loadCpuMs = replica.load(size);
  const loaded = memory();
  schedulePolls();
  const deaf = own.map((position) => new SimulatedAgent(position, true));
  const [snapshotCpuMs] = await timed(() => openAll(deaf));
  const assignments = replica.assignedCount;
  const streaming = memory();
  for (const { position } of deaf) replica.close(position.key);
  agents = own.map((position) => new SimulatedAgent(position));
  await openAll(agents);
  const minute = await steadyMinute();
  const killed = await loseAgents((agent) => leases.kill(agent, time.nowMs));
  const backCpuMs = await bringBack();
  const vanished = await loseAgents((agent) => leases.vanish(agent, time.nowMs));
  await bringBack();
  return {
    replica: replicaNumber,
    agents: own.length,
    bytesPerCheck: (loaded.bytes - empty.bytes) / size.checks,
    heapBytesPerCheck: (loaded.heap - empty.heap) / size.checks,
    bytesPerAssignment: (streaming.bytes - loaded.bytes) / assignments,
    rssMiB: streaming.rssMiB,
    bytesPerRule,
    loadCpuMs,
    assignments,
    snapshotBytes: deaf.reduce((sum, { bytesIn }) => sum + bytesIn, 0),
    snapshotCpuMs,
    minute,
    killed,
    backCpuMs,
    vanished,
    replicaDied: await loseReplica(),
    upgrade: await upgrade(),
  };
}

function memory(): { bytes: number; heap: number; rssMiB: number } {
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return { bytes: heapUsed + arrayBuffers, heap: heapUsed, rssMiB: rssMiB(process.pid) };
}

/** Runs a step of the simulation. @returns the replica's CPU, ms, and what the step returned */
async function timed<T>(run: () => Promise<T>): Promise<[number, T]> {
  const before = time.cpuMs;
  const result = await run();
  return [time.cpuMs - before, result];
}

function schedulePolls(): void {
  const next = () => {
    replica.poll();
    time.at(pollAtOrAfter(replicaNumber, time.nowMs + 1), next);
  };
  time.at(pollAtOrAfter(replicaNumber, time.nowMs), next);
}

async function openAll(opened: readonly SimulatedAgent[]): Promise<void> {
  for (const agent of opened) void replica.open(agent);
  await time.runUntil(time.nowMs + MINUTE_MS);
}

/** Lets all agents of this replica run their slots and send results and heartbeats for a minute. */
async function steadyMinute(): Promise<ReplicaMeasures["minute"]> {
  for (const agent of agents) agent.advanceTo(time.nowMs);
  const intake = new Intake(replica.state, size);
  const counts = { failures: 0, heartbeats: 0, batches: 0 };
  const before = agents.map(({ bytesIn, bytesOut }) => ({ bytesIn, bytesOut }));
  const send = (agent: SimulatedAgent, bytes: Uint8Array) => {
    const answer = intake.receive(bytes, agent.position.key, time.nowMs);
    if (answer) agent.bytesIn += answer.length;
  };
  const fromMs = time.nowMs;
  for (const agent of agents) {
    for (let atMs = fromMs; atMs < fromMs + MINUTE_MS; atMs += SPOOL_MS)
      time.at(atMs, () => {
        const bytes = time.foreign(() => batchOf(agent, counts));
        if (bytes) send(agent, bytes);
      });
    const firstMs = heartbeatAtOrBefore(agent.position, fromMs) + HEARTBEAT_INTERVAL_MS;
    for (let atMs = firstMs; atMs < fromMs + MINUTE_MS; atMs += HEARTBEAT_INTERVAL_MS)
      time.at(atMs, () => {
        counts.heartbeats++;
        send(
          agent,
          time.foreign(() => agent.heartbeat(time.nowMs)),
        );
      });
  }
  const [cpuMs] = await timed(() => time.runUntil(fromMs + MINUTE_MS));
  const sum = (bytes: (agent: SimulatedAgent, index: number) => number) =>
    agents.reduce((total, agent, index) => total + bytes(agent, index), 0);
  return {
    cpuMs,
    ...counts,
    results: intake.accepted,
    rejected: intake.rejected,
    fired: intake.fired,
    bytesFromAgents: sum(({ bytesOut }, i) => bytesOut - (before[i]?.bytesOut ?? 0)),
    bytesToAgents: sum(({ bytesIn }, i) => bytesIn - (before[i]?.bytesIn ?? 0)),
  };
}

/** Returns the batch of the slots that became due, all run at once; undefined: none did. */
function batchOf(
  agent: SimulatedAgent,
  counts: { failures: number; batches: number },
): Uint8Array | undefined {
  const due = agent.advanceTo(time.nowMs);
  if (due.length === 0) return undefined;
  const records = due.map(recordOf);
  counts.failures += records.filter(({ status }) => status === "failure").length;
  return agent.resultBatch(++counts.batches, records);
}

/** Loses one agent of ten at this instant, and follows its check locations for a minute. */
async function loseAgents(lose: (agent: AgentPosition) => void): Promise<Moved> {
  const lostAtMs = time.nowMs;
  const endMs = lostAtMs + MINUTE_MS;
  // Each slot until then was looked for at least once before the end.
  const lastDueMs = endMs - 2 * SLOT_LOOK_MS;
  const held: Held[] = [];
  const isMoved = new Set<string>();
  const slots = { run: 0, late: 0 };
  const lost = leases.agents.filter((_, index) => index % LOST_ONE_IN === 0);
  for (const agent of agents) agent.advanceTo(lostAtMs);
  const lostCheckLocations = lost.reduce((sum, { key }) => sum + replica.state.ownedBy(key).length, 0);
  for (const agent of lost) {
    lose(agent);
    replica.close(agent.key);
  }
  const left = agents.filter(({ position }) => !leases.isDead(position));
  for (const agent of left) {
    agent.onHeld = (one) => {
      held.push(one);
      isMoved.add(`${one.checkKey}:${one.locationKey}`);
    };
    for (let atMs = lostAtMs; atMs < endMs; atMs += SLOT_LOOK_MS)
      time.at(atMs, () =>
        time.foreign(() => {
          for (const { check, locationKey, dueMs } of agent.advanceTo(time.nowMs)) {
            if (dueMs < lostAtMs || dueMs > lastDueMs || !isMoved.has(`${check.checkKey}:${locationKey}`))
              continue;
            slots.run++;
            if (time.nowMs - dueMs > LATE_MS) slots.late++;
          }
        }),
      );
  }
  replica.longestPollMs = 0;
  const [cpuMs] = await timed(() => time.runUntil(endMs));
  for (const agent of left) agent.onHeld = undefined;
  const elapsedMs = held.map(({ atMs }) => atMs - lostAtMs).sort((a, b) => a - b);
  return {
    lost: lostCheckLocations,
    held: held.length,
    p50Ms: quantile(elapsedMs, 0.5),
    p99Ms: quantile(elapsedMs, 0.99),
    lastMs: elapsedMs.at(-1) ?? 0,
    slotsExpected: held.reduce((sum, one) => sum + slotsBetween(one, lostAtMs, lastDueMs), 0),
    slotsRun: slots.run,
    slotsLate: slots.late,
    cpuMs,
    longestPollMs: replica.longestPollMs,
  };
}

/** Counts the slots of a check location that are due from `fromMs` to `toMs`. */
function slotsBetween({ checkKey, locationKey }: Held, fromMs: number, toMs: number): number {
  const stagger = staggerMs(locationKey - 1, size.locations, PERIOD_MS);
  const first = slotAtOrAfter(fromMs - stagger, PERIOD_MS, phaseOf(checkKey));
  return Math.max(0, Math.floor((toMs - stagger - first) / PERIOD_MS) + 1);
}

/** Brings the lost agents back and waits until they hold their check locations again. @returns the replica's CPU, ms */
async function bringBack(): Promise<number> {
  for (const agent of leases.agents) leases.revive(agent);
  const back = agents.filter(({ position }) => (position.key - 1) % LOST_ONE_IN === 0);
  const [cpuMs] = await timed(() => openAll(back));
  return cpuMs;
}

/** Another replica dies: its agents connect to the others. */
async function loseReplica(): Promise<Arrivals> {
  return follow(async () => {
    const dead = (replicaNumber + 1) % size.replicas;
    const arrivals = moveFrom(dead, (agent) => reconnectDelayMs(1, chance(agent.key, 11)));
    await time.runUntil(time.nowMs + MINUTE_MS);
    return arrivals;
  });
}

/** One replica after the other is drained and started again. */
async function upgrade(): Promise<Arrivals> {
  return follow(async () => {
    const all: SimulatedAgent[] = [];
    for (let drained = 0; drained < size.replicas; drained++) {
      if (drained === replicaNumber) for (const { position } of agents.splice(0)) replica.close(position.key);
      all.push(...moveFrom(drained, (agent) => chance(agent.key, 13) * DRAINED_DELAY_MS));
      await time.runUntil(time.nowMs + UPGRADE_STEP_MS);
    }
    return all;
  });
}

/** Moves the agents of a replica to the others, in turns. @returns those that come here */
function moveFrom(from: number, delayMs: (agent: AgentPosition) => number): SimulatedAgent[] {
  const others = Array.from({ length: size.replicas }, (_, i) => i).filter((other) => other !== from);
  const arrivals: SimulatedAgent[] = [];
  for (const [index, position] of leases.agents.filter((agent) => agent.replica === from).entries()) {
    position.replica = others[index % others.length] as number;
    if (position.replica !== replicaNumber) continue;
    const agent = new SimulatedAgent(position);
    arrivals.push(agent);
    agents.push(agent);
    leftAtMs.set(agent, time.nowMs);
    time.at(time.nowMs + delayMs(position) + 2 * NETWORK_MS, () => void replica.open(agent));
  }
  return arrivals;
}

async function follow(run: () => Promise<SimulatedAgent[]>): Promise<Arrivals> {
  const touchedBefore = replica.touched;
  const [cpuMs, arrivals] = await timed(run);
  const elapsedMs = arrivals.map(
    (agent) => (agent.hasSnapshotAtMs ?? Number.NaN) - (leftAtMs.get(agent) ?? 0),
  );
  return {
    agents: arrivals.length,
    lastMs: Math.max(0, ...elapsedMs),
    moved: replica.touched - touchedBefore,
    cpuMs,
    bytes: arrivals.reduce((sum, { bytesIn }) => sum + bytesIn, 0),
  };
}
