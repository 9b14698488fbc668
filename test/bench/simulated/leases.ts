/** The leases of the simulated agents, as the database would have them: a function of their history. Pure but for that history. */
import type { RunnerRow } from "../../../control-plane/src/fleet/fleet-store.ts";
import {
  BROKEN_STREAM_LEASE_MS,
  HEARTBEAT_INTERVAL_MS,
  LEASE_MS,
  POLL_INTERVAL_MS,
} from "../../../control-plane/src/fleet/timing.ts";
import { type AgentPosition, chance, runnerRow, START_MS } from "./fleet.ts";

/** Instants of a replica's polls lie at this offset, ms: replicas do not poll in step. */
function pollOffsetMs(replica: number): number {
  return Math.floor(chance(replica, 7) * POLL_INTERVAL_MS);
}

/** Returns the first instant at or after `atMs` at which the replica polls, and renews leases. */
export function pollAtOrAfter(replica: number, atMs: number): number {
  const offsetMs = START_MS + pollOffsetMs(replica);
  return Math.ceil((atMs - offsetMs) / POLL_INTERVAL_MS) * POLL_INTERVAL_MS + offsetMs;
}

/** Returns the agent's newest heartbeat at or before an instant. */
export function heartbeatAtOrBefore({ key }: AgentPosition, atMs: number): number {
  const offsetMs = START_MS + Math.floor(chance(key, 3) * HEARTBEAT_INTERVAL_MS);
  return Math.floor((atMs - offsetMs) / HEARTBEAT_INTERVAL_MS) * HEARTBEAT_INTERVAL_MS + offsetMs;
}

/** Holds which agents died, and how. */
export class Leases {
  readonly agents: AgentPosition[];
  /** End of the lease of each dead agent, by its key. */
  readonly #endedAtMs = new Map<number, number>();

  constructor(agents: AgentPosition[]) {
    this.agents = agents;
  }

  /** The agent's process is killed: its stream breaks, and its replica shortens the lease. */
  kill(agent: AgentPosition, nowMs: number): void {
    this.#endedAtMs.set(agent.key, nowMs + BROKEN_STREAM_LEASE_MS);
  }

  /** The agent's host vanishes: nothing tells, and the lease runs out. */
  vanish(agent: AgentPosition, nowMs: number): void {
    this.#endedAtMs.set(agent.key, this.#renewedUntil(agent, nowMs));
  }

  /** The agent is back. */
  revive(agent: AgentPosition): void {
    this.#endedAtMs.delete(agent.key);
  }

  isDead({ key }: AgentPosition): boolean {
    return this.#endedAtMs.has(key);
  }

  /** Returns the rows that a poll at this instant reads. */
  rows(nowMs: number): RunnerRow[] {
    return this.agents.map((agent) =>
      runnerRow(agent, this.#endedAtMs.get(agent.key) ?? this.#renewedUntil(agent, nowMs), nowMs),
    );
  }

  /** Returns the end of the lease as the newest heartbeat renewed it that the agent's replica has written by now. */
  #renewedUntil(agent: AgentPosition, nowMs: number): number {
    let heartbeatMs = heartbeatAtOrBefore(agent, nowMs);
    if (pollAtOrAfter(agent.replica, heartbeatMs) > nowMs) heartbeatMs -= HEARTBEAT_INTERVAL_MS;
    return pollAtOrAfter(agent.replica, heartbeatMs) + LEASE_MS;
  }
}
