/**
 * Keeps one stream's agent informed of the check locations that its runner owns. Level-triggered: each flush compares the
 * fleet's present state with what was sent to the agent last and sends the difference, so that nothing depends on the
 * order of events. A check location that moves to another runner is withdrawn only after the handover time; one that
 * ended is withdrawn at once.
 */

import { create } from "@bufbuild/protobuf";
import {
  type Assignment,
  AssignmentSchema,
  type Check,
  DeltaSchema,
  type SessionResponse,
  SnapshotSchema,
  UnassignmentSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { type CheckLocation, checkLocationId } from "../platform/check-location.ts";
import { systemTiming, type Timing } from "../platform/timing.ts";
import { CheckLocationSet } from "./check-location-set.ts";
import { staggerOf } from "./fleet-check.ts";
import type { FleetState } from "./fleet-state.ts";
import type { StaggeredCheckLocation } from "./slots-with-results.ts";
import type { Touched } from "./touched.ts";

/** Check locations in one Snapshot or Delta. */
const PART_SIZE = 500;
/**
 * Approximate limit of the bytes of checks in one Snapshot or Delta; a single larger check is sent alone. Agents accept
 * messages of 16 MiB.
 */
const PART_BYTES = 1024 * 1024;
/** Number of checks that fit in one message whatever their sizes. */
const ALWAYS_FITTING_CHECKS = 4;
/** Wait before the next attempt when sending changes failed because the database is away. */
const RETRY_MS = 500;

/** The runner of the stream, the fleet's state, and the ways to load and send. */
export interface StreamAssignmentsParts {
  runnerKey: number;
  state: FleetState;
  handoverMs: number;
  loadChecks: (checkKeys: readonly number[]) => Promise<Map<number, Check>>;
  /** Returns the approximate number of bytes of each check in a message, by key. */
  loadBytes: (checkKeys: readonly number[]) => Promise<Map<number, number>>;
  /** Returns the recent slots that have a result, by `checkLocationId`. */
  loadDoneSlots: (checkLocations: readonly StaggeredCheckLocation[]) => Promise<Map<string, number[]>>;
  send: (message: SessionResponse["message"]) => void;
  /** Resolves once the stream has read all messages. The next part is made only then, so that few parts wait in memory. */
  untilRead: () => Promise<void>;
  /** Default: the process's own. */
  timing?: Timing | undefined;
}

/** Messages' contents for some check locations. */
interface Described {
  checks: Check[];
  assignments: Assignment[];
}

/** Sends one stream's agent its assignments: a snapshot first, differences after it. */
export class StreamAssignments {
  readonly #parts: StreamAssignmentsParts;
  readonly #timing: Timing;
  /** The check locations that the agent holds. */
  readonly #sent = new CheckLocationSet();
  /** The check locations to compare at the next flush, by id. */
  readonly #pending = new Map<string, CheckLocation>();
  /**
   * Ends of handovers by check location id: the instant at which this runner lets go of the check location (monotonic
   * ms).
   */
  readonly #handoverEndsAtMs = new Map<string, number>();
  #isStarted = false;
  #isClosed = false;
  #flushing: Promise<void> | undefined;
  #cancelRetry = () => {};

  constructor(parts: StreamAssignmentsParts) {
    this.#parts = parts;
    this.#timing = parts.timing ?? systemTiming;
  }

  /** Number of check locations that the agent holds. */
  get size(): number {
    return this.#sent.size;
  }

  /** Sends the snapshot. Changes that come meanwhile follow as a delta. */
  async start(): Promise<void> {
    const { state, runnerKey, send, untilRead } = this.#parts;
    // In the order of checks, so that a check's locations are together where that fits.
    const owned = state.ownedBy(runnerKey).sort((a, b) => a.checkKey - b.checkKey);
    for (let at = 0; at < owned.length && !this.#isClosed; ) {
      const part = await this.#fittingPart(owned.slice(at, at + PART_SIZE));
      at += part.length;
      const { checks, assignments } = await this.#describe(part);
      send({ case: "snapshot", value: create(SnapshotSchema, { checks, assignments, last: false }) });
      await untilRead();
    }
    send({ case: "snapshot", value: create(SnapshotSchema, { last: true }) });
    this.#isStarted = true;
    this.#flushSoon();
  }

  /**
   * Compares check locations again, as something about them changed. Every stream is notified of every change, and one that is not
   * its runner's costs no more than a lookup.
   */
  touch(touched: Touched): void {
    const { runnerKey } = this.#parts;
    for (const [locationKey, { checkKeys, ownerKeys }] of touched) {
      const sent = this.#sent.at(locationKey);
      for (let i = 0; i < checkKeys.length; i++) {
        const checkKey = checkKeys[i] as number;
        if (ownerKeys[i] === runnerKey || sent?.has(checkKey)) this.#await({ checkKey, locationKey });
      }
    }
    this.#flushSoon();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
  }

  /** Notes that the check location is to be compared at the next flush. */
  #await(checkLocation: CheckLocation): void {
    this.#pending.set(checkLocationId(checkLocation), checkLocation);
  }

  /** Flushes until nothing is pending, unless a flush is under way. */
  #flushSoon(delayMs = 0): void {
    if (!this.#isStarted || this.#isClosed || this.#flushing) return;
    if (delayMs > 0) {
      this.#cancelRetry();
      this.#cancelRetry = this.#timing.setTimer(() => this.#flushSoon(), delayMs);
      return;
    }
    if (this.#pending.size === 0) return;
    let retryMs = 0;
    this.#flushing = this.#flush()
      .catch(() => {
        retryMs = RETRY_MS;
      })
      .finally(() => {
        this.#flushing = undefined;
        this.#flushSoon(retryMs);
      });
  }

  /** Sends one delta. When the database is away it rejects, and everything stays pending. */
  async #flush(): Promise<void> {
    await this.#parts.untilRead();
    const batch = await this.#fittingPart(firstOf(this.#pending.values(), PART_SIZE));
    for (const checkLocation of batch) this.#pending.delete(checkLocationId(checkLocation));
    const { checks, assignments } = await this.#describe(this.#keepOwned(batch)).catch((error) => {
      for (const checkLocation of batch) this.#await(checkLocation);
      throw error;
    });
    // Ownership may have changed while the checks were read; from here to the send nothing waits.
    const unassignments = this.#withdrawLost(batch);
    if (checks.length === 0 && assignments.length === 0 && unassignments.length === 0) return;
    this.#parts.send({
      case: "delta",
      value: create(DeltaSchema, {
        checks,
        assignments,
        unassignments: unassignments.map(({ checkKey, locationKey }) =>
          create(UnassignmentSchema, { checkKey: BigInt(checkKey), locationKey }),
        ),
      }),
    });
  }

  #isOwned(checkLocation: CheckLocation): boolean {
    return this.#parts.state.ownerKey(checkLocation) === this.#parts.runnerKey;
  }

  /** Ends the handover of the owned ones. @returns the owned ones */
  #keepOwned(checkLocations: readonly CheckLocation[]): CheckLocation[] {
    const owned = checkLocations.filter((checkLocation) => this.#isOwned(checkLocation));
    for (const checkLocation of owned) this.#handoverEndsAtMs.delete(checkLocationId(checkLocation));
    return owned;
  }

  /**
   * Begins the handover of check locations that the runner lost, and forgets those that the agent must let go of now.
   * @returns the forgotten ones
   */
  #withdrawLost(checkLocations: readonly CheckLocation[]): CheckLocation[] {
    const owned = new Set(this.#keepOwned(checkLocations));
    const lost = checkLocations.filter(
      (checkLocation) => !owned.has(checkLocation) && this.#sent.has(checkLocation),
    );
    const nowMs = this.#timing.monotonicMs();
    const withdrawn = lost.filter(
      (checkLocation) => this.#hasEnded(checkLocation) || this.#isHandedOver(checkLocation, nowMs),
    );
    for (const checkLocation of withdrawn) this.#forget(checkLocation);
    for (const checkLocation of lost)
      if (!withdrawn.includes(checkLocation)) this.#beginHandover(checkLocation, nowMs);
    return withdrawn;
  }

  /** True when the check no longer runs at the location, so that no other runner takes over. */
  #hasEnded({ checkKey, locationKey }: CheckLocation): boolean {
    const check = this.#parts.state.check(checkKey);
    return !check?.enabled || !check.locationKeys.includes(locationKey);
  }

  #isHandedOver(checkLocation: CheckLocation, nowMs: number): boolean {
    const endsAtMs = this.#handoverEndsAtMs.get(checkLocationId(checkLocation));
    return (endsAtMs ?? nowMs + this.#parts.handoverMs) <= nowMs;
  }

  #forget(checkLocation: CheckLocation): void {
    this.#sent.delete(checkLocation);
    this.#handoverEndsAtMs.delete(checkLocationId(checkLocation));
  }

  /** Compares the check location again when its handover is over. Does nothing while a handover is under way. */
  #beginHandover(checkLocation: CheckLocation, nowMs: number): void {
    const id = checkLocationId(checkLocation);
    if (this.#handoverEndsAtMs.has(id)) return;
    this.#handoverEndsAtMs.set(id, nowMs + this.#parts.handoverMs);
    const compare = () => {
      this.#await(checkLocation);
      this.#flushSoon();
    };
    this.#timing.setTimer(compare, this.#parts.handoverMs + 1);
  }

  /**
   * Returns as many of the first check locations as fit in one message, at least one. Check locations that the runner
   * lost take no bytes.
   */
  async #fittingPart(candidates: CheckLocation[]): Promise<CheckLocation[]> {
    const owned = candidates.filter((checkLocation) => this.#isOwned(checkLocation));
    const checkKeys = [...new Set(owned.map(({ checkKey }) => checkKey))];
    if (checkKeys.length <= ALWAYS_FITTING_CHECKS) return candidates;
    const bytesOf = await this.#parts.loadBytes(checkKeys);
    const counted = new Set<number>();
    let bytes = 0;
    const end = candidates.findIndex(({ checkKey }, index) => {
      if (!counted.has(checkKey)) bytes += bytesOf.get(checkKey) ?? 0;
      counted.add(checkKey);
      return index > 0 && bytes > PART_BYTES;
    });
    return end < 0 ? candidates : candidates.slice(0, end);
  }

  /** Reads the checks and assignments to send for owned check locations, and counts them as sent. */
  async #describe(checkLocations: readonly CheckLocation[]): Promise<Described> {
    const { state, loadChecks, loadDoneSlots } = this.#parts;
    const staggered = checkLocations.flatMap(({ checkKey, locationKey }) => {
      const check = state.check(checkKey);
      return check ? [{ checkKey, locationKey, check, staggerMs: staggerOf(check, locationKey) }] : [];
    });
    if (staggered.length === 0) return { checks: [], assignments: [] };
    const [documents, doneSlots] = await Promise.all([
      loadChecks([...new Set(staggered.map(({ checkKey }) => checkKey))]),
      loadDoneSlots(staggered),
    ]);
    const assignments: Assignment[] = [];
    for (const { check, checkKey, locationKey, staggerMs } of staggered) {
      // The owner may have changed while the check was read; from here to the send nothing waits.
      if (!documents.has(checkKey) || !this.#isOwned({ checkKey, locationKey })) continue;
      const id = checkLocationId({ checkKey, locationKey });
      this.#sent.add({ checkKey, locationKey });
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

function firstOf<T>(values: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    if (first.length === count) break;
    first.push(value);
  }
  return first;
}
