/**
 * Brings one stream to what its runner shall run. Level-triggered: whatever happened in between, each flush compares the
 * fleet's present state with what the agent was last told and sends the difference, so that nothing depends on the order
 * of events. A pair that moves elsewhere is taken away only after the handover time; one that ended, at once.
 */
import { create } from "@bufbuild/protobuf";
import {
  type Assignment,
  AssignmentSchema,
  type Check,
  DeltaSchema,
  type SessionResponse,
  SessionResponseSchema,
  SnapshotSchema,
  UnassignmentSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { pairId, type StaggeredPair } from "./catch-up.ts";
import type { FleetState, Pair } from "./fleet-state.ts";

/** Checks in one Snapshot or Delta. */
const PART_SIZE = 500;
const RETRY_MS = 500;

export interface StreamAssignmentsOptions {
  runnerKey: number;
  state: FleetState;
  handoverMs: number;
  loadChecks: (checkKeys: readonly number[]) => Promise<Map<number, Check>>;
  loadDoneSlots: (pairs: readonly StaggeredPair[]) => Promise<Map<string, number[]>>;
  send: (message: SessionResponse) => void;
}

export class StreamAssignments {
  readonly #options: StreamAssignmentsOptions;
  /** What the agent was told: the check's revision by pair. */
  readonly #sent = new Map<string, Pair & { revision: number }>();
  readonly #pending = new Map<string, Pair>();
  /** Pairs that are handed over, by when they are taken away (monotonic ms). */
  readonly #leaving = new Map<string, number>();
  #isStarted = false;
  #isClosed = false;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamAssignmentsOptions) {
    this.#options = options;
  }

  /** How many checks at locations the agent holds. */
  get size(): number {
    return this.#sent.size;
  }

  /** Sends the snapshot; what is touched meanwhile follows as a delta. */
  async start(): Promise<void> {
    const { state, runnerKey, send } = this.#options;
    const pairs = state.ownedBy(runnerKey);
    for (const part of partsOf(pairs)) {
      const { checks, assignments } = await this.#describe(part);
      send(
        message({ case: "snapshot", value: create(SnapshotSchema, { checks, assignments, last: false }) }),
      );
    }
    send(message({ case: "snapshot", value: create(SnapshotSchema, { last: true }) }));
    this.#isStarted = true;
    this.#kick();
  }

  /** Something about these pairs changed. */
  touch(pairs: readonly Pair[]): void {
    for (const pair of pairs) {
      const id = pairId(pair);
      if (this.#sent.has(id) || this.#options.state.ownerKey(pair) === this.#options.runnerKey)
        this.#pending.set(id, pair);
    }
    this.#kick();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #kick(delayMs = 0): void {
    if (!this.#isStarted || this.#isClosed || this.#flushing) return;
    if (delayMs > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#kick(), delayMs);
      return;
    }
    if (this.#pending.size === 0) return;
    let retryMs = 0;
    this.#flushing = this.#flush()
      .catch(() => {
        // The database is away: what is pending stays so.
        retryMs = RETRY_MS;
      })
      .finally(() => {
        this.#flushing = undefined;
        this.#kick(retryMs);
      });
  }

  async #flush(): Promise<void> {
    const batch = [...this.#pending.values()].slice(0, PART_SIZE);
    for (const pair of batch) this.#pending.delete(pairId(pair));
    const { checks, assignments } = await this.#describe(batch.filter((pair) => this.#isOwned(pair))).catch(
      (error) => {
        for (const pair of batch) this.#pending.set(pairId(pair), pair);
        throw error;
      },
    );
    const unassignments = batch.filter((pair) => !this.#isOwned(pair) && this.#mayLeave(pair));
    for (const pair of unassignments) this.#sent.delete(pairId(pair));
    if (checks.length === 0 && assignments.length === 0 && unassignments.length === 0) return;
    this.#options.send(
      message({
        case: "delta",
        value: create(DeltaSchema, {
          checks,
          assignments,
          unassignments: unassignments.map(({ checkKey, locationKey }) =>
            create(UnassignmentSchema, { checkKey: BigInt(checkKey), locationKey }),
          ),
        }),
      }),
    );
  }

  #isOwned(pair: Pair): boolean {
    const isOwned = this.#options.state.ownerKey(pair) === this.#options.runnerKey;
    if (isOwned) this.#leaving.delete(pairId(pair));
    return isOwned;
  }

  /** Whether the agent must let go of the pair now; else it is looked at again when the handover is over. */
  #mayLeave(pair: Pair): boolean {
    const id = pairId(pair);
    if (!this.#sent.has(id)) return false;
    const check = this.#options.state.check(pair.checkKey);
    const nowMs = performance.now();
    const leavesAtMs = this.#leaving.get(id) ?? nowMs + this.#options.handoverMs;
    const hasEnded = !check?.enabled || !check.locationKeys.includes(pair.locationKey);
    if (hasEnded || leavesAtMs <= nowMs) {
      this.#leaving.delete(id);
      return true;
    }
    if (!this.#leaving.has(id)) {
      this.#leaving.set(id, leavesAtMs);
      setTimeout(() => this.touch([pair]), this.#options.handoverMs + 1).unref();
    }
    return false;
  }

  /** The checks and assignments to send for pairs that the runner owns; notes them as sent. */
  async #describe(pairs: readonly Pair[]): Promise<{ checks: Check[]; assignments: Assignment[] }> {
    const { state, loadChecks, loadDoneSlots } = this.#options;
    const staggered = pairs.flatMap((pair) => {
      const check = state.check(pair.checkKey);
      return check ? [{ ...pair, check, staggerMs: state.staggerOf(check, pair.locationKey) }] : [];
    });
    if (staggered.length === 0) return { checks: [], assignments: [] };
    const [documents, doneSlots] = await Promise.all([
      loadChecks([...new Set(staggered.map((pair) => pair.checkKey))]),
      loadDoneSlots(staggered),
    ]);
    const assignments: Assignment[] = [];
    for (const { check, checkKey, locationKey, staggerMs } of staggered) {
      // The owner may have changed while the check was read; from here to the send nothing waits.
      if (!documents.has(checkKey) || !this.#isOwned({ checkKey, locationKey })) continue;
      const id = pairId({ checkKey, locationKey });
      this.#sent.set(id, { checkKey, locationKey, revision: check.revision });
      assignments.push(
        create(AssignmentSchema, {
          checkKey: BigInt(checkKey),
          locationKey,
          staggerMs,
          effectiveFromMs: BigInt(check.effectiveFromMs),
          doneSlotsMs: (doneSlots.get(id) ?? []).map(BigInt),
        }),
      );
    }
    return { checks: [...documents.values()], assignments };
  }
}

/** Parts of at most PART_SIZE pairs; a check at several locations is kept together where that fits. */
function partsOf(pairs: readonly Pair[]): Pair[][] {
  const sorted = [...pairs].sort((a, b) => a.checkKey - b.checkKey);
  const parts: Pair[][] = [];
  for (let start = 0; start < sorted.length; start += PART_SIZE)
    parts.push(sorted.slice(start, start + PART_SIZE));
  return parts;
}

/** A message of the session's outgoing direction. */
export function message(value: SessionResponse["message"]): SessionResponse {
  return create(SessionResponseSchema, { message: value });
}
