/** A simulated replica: the real state of the fleet and the real streams of its agents, on a simulated database and network. */
import type { Check, SessionResponse } from "@svc/proto/svc/runner/v1/runner_pb";
import { documentOf } from "../../../control-plane/src/fleet/check-documents.ts";
import { FleetState } from "../../../control-plane/src/fleet/fleet-state.ts";
import type { RunnerRow } from "../../../control-plane/src/fleet/fleet-store.ts";
import { StreamAssignments } from "../../../control-plane/src/fleet/stream-assignments.ts";
import { HANDOVER_MS } from "../../../control-plane/src/fleet/timing.ts";
import { arrangeTouched } from "../../../control-plane/src/fleet/touched.ts";
import { PushQueue } from "../../../control-plane/src/gateway/push-queue.ts";
import type { SecretBox } from "../../../control-plane/src/platform/db/secret-box.ts";
import { type SimulatedAgent, wireBytes } from "./agent.ts";
import { checkRows, documentRow, type FleetSize, locationRows } from "./fleet.ts";
import { processCpuMs, type SimulatedTime } from "./time.ts";

/** Time of one statement of the simulated database, and of each row that it returns, ms. */
export const STATEMENT_MS = 2;
export const ROW_MS = 0.02;
/** One way over the simulated network, ms. */
export const NETWORK_MS = 10;
/** Approximate bytes of a check in a message, as loadBytes would say. */
const CHECK_BYTES = 1_400;
const PAGE_SIZE = 5_000;

interface Stream {
  agent: SimulatedAgent;
  assignments: StreamAssignments;
  queue: PushQueue<SessionResponse["message"]>;
}

/** The state, the streams and the polls of one replica. */
export class SimulatedReplica {
  readonly state = new FleetState();
  readonly #time: SimulatedTime;
  readonly #readRunners: () => RunnerRow[];
  readonly #streams = new Map<number, Stream>();
  /** Check locations that polls touched so far. */
  touched = 0;
  /** Longest time for which one poll held the loop, CPU-ms. */
  longestPollMs = 0;

  constructor(time: SimulatedTime, readRunners: () => RunnerRow[]) {
    this.#time = time;
    this.#readRunners = readRunners;
  }

  /** Reads all checks, page by page, as a replica does when it starts. @returns its CPU, ms */
  load(size: FleetSize): number {
    let elapsedMs = 0;
    const timed = (work: () => void) => {
      const before = processCpuMs();
      work();
      elapsedMs += processCpuMs() - before;
    };
    timed(() => {
      this.state.setLocations(locationRows(size));
      this.state.applyRunners(this.#readRunners());
    });
    for (let firstKey = 1; firstKey <= size.checks; firstKey += PAGE_SIZE) {
      const page = checkRows(size, firstKey, Math.min(PAGE_SIZE, size.checks - firstKey + 1));
      timed(() => this.state.applyChecks(page));
    }
    return elapsedMs;
  }

  /** Reads the runners and tells the streams what changed, as the replica's watch does. */
  poll(): void {
    const rows = this.#time.foreign(() => this.#readRunners());
    const before = processCpuMs();
    const touched = this.state.applyRunners(rows);
    this.touched += touched.length;
    if (touched.length > 0) {
      const arranged = arrangeTouched(this.state, touched);
      for (const { assignments } of this.#streams.values()) assignments.touch(arranged);
    }
    this.longestPollMs = Math.max(this.longestPollMs, processCpuMs() - before);
  }

  /** Opens the agent's session: two polls and a row around its registration, then the snapshot. */
  async open(agent: SimulatedAgent): Promise<void> {
    await this.#time.pause(STATEMENT_MS);
    this.poll();
    await this.#time.pause(3 * STATEMENT_MS);
    this.poll();
    const queue = new PushQueue<SessionResponse["message"]>();
    const assignments = new StreamAssignments({
      runnerKey: agent.position.key,
      state: this.state,
      handoverMs: HANDOVER_MS,
      loadBytes: async (keys) => {
        await this.#time.pause(STATEMENT_MS);
        return new Map(keys.map((key) => [key, CHECK_BYTES]));
      },
      loadChecks: (keys) => this.#loadChecks(keys),
      loadDoneSlots: async () => {
        await this.#time.pause(STATEMENT_MS);
        return new Map();
      },
      send: (message) => queue.push(message),
      untilRead: () => queue.untilRead(),
    });
    this.#streams.set(agent.position.key, { agent, assignments, queue });
    void this.#carry(queue, agent);
    await assignments.start();
  }

  /** Ends the agent's session. */
  close(runnerKey: number): void {
    const stream = this.#streams.get(runnerKey);
    stream?.assignments.close();
    stream?.queue.end();
    this.#streams.delete(runnerKey);
  }

  /** Number of check locations that the agents of all streams hold. */
  get assignedCount(): number {
    return [...this.#streams.values()].reduce((sum, { assignments }) => sum + assignments.size, 0);
  }

  async #loadChecks(checkKeys: readonly number[]): Promise<Map<number, Check>> {
    await this.#time.pause(STATEMENT_MS + ROW_MS * checkKeys.length);
    const rows = this.#time.foreign(() => checkKeys.map(documentRow));
    return new Map(rows.map((row) => [row.key, documentOf(row, {} as SecretBox, new Map()).check]));
  }

  /** Carries the messages of a stream to its agent. */
  async #carry(queue: PushQueue<SessionResponse["message"]>, agent: SimulatedAgent): Promise<void> {
    for await (const message of queue) {
      const bytes = wireBytes(message);
      const arriveMs = this.#time.nowMs + NETWORK_MS;
      this.#time.at(arriveMs, () => this.#time.foreign(() => agent.receive(bytes, this.#time.nowMs)));
    }
  }
}
