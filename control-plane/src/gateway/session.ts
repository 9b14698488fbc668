/**
 * One agent's session, from Hello to the end of its stream. States: opening (runner's row written, fleet read) -> live
 * (snapshot sent; messages handled as they come) -> ended, by the agent (goodbye: its lease ends at once; broken stream:
 * the lease is shortened) or by us (drain, revoked key, a newer session of the same runner). What goes out passes one
 * queue, so that messages keep their order.
 */
import { create } from "@bufbuild/protobuf";
import { DAY_MS, DomainError } from "@svc/contract";
import {
  AckSchema,
  DrainSchema,
  type GivenBackSlot,
  type Heartbeat,
  HeartbeatReplySchema,
  LocationSchema,
  RejectionSchema,
  type ResultBatch,
  type RunNow,
  type SessionRequest,
  type SessionResponse,
  WelcomeSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type { Logger } from "pino";
import type { LocationRow } from "../fleet/fleet-store.ts";
import { message, type StreamAssignments } from "../fleet/stream-assignments.ts";
import { GRACE_MS, HEARTBEAT_INTERVAL_MS, LEASE_MS } from "../fleet/timing.ts";
import { claimedCount, columnsFromBatch } from "../results/ingest/columns.ts";
import type { Ingester } from "../results/ingest/ingester.ts";
import type { IngestSource } from "../results/ingest/judge.ts";
import { PushQueue } from "./push-queue.ts";
import type { LeaseRenewal } from "./store.ts";

/** Results of one stream that may wait for their commit; beyond it the stream is not read, and the agent waits. Agents
 *  keep to a window well below it, so that heartbeats are read all the time. */
const UNACKNOWLEDGED_RESULTS_MAX = 10_000;
/** Results that one message may carry; agents send a tenth of it. More at once would hold everyone's results up. */
const BATCH_RESULTS_MAX = 5_000;
/** A slot given back this long after it was due can't be run by anybody, and is missing without being told. */
const GIVEN_BACK_AGE_MS_MAX = DAY_MS;
/** Messages that an agent may leave unread before its stream is given up. */
const QUEUED_MESSAGES_MAX = 20_000;

export interface SessionOptions {
  sessionId: string;
  runnerKey: number;
  runnerId: string;
  runnerKeyId: string;
  /** null: the hosted pool. */
  locationKey: number | null;
  locations: readonly LocationRow[];
  processUuid: string;
  version: string;
  log: Logger;
  ingester: Ingester;
  nowMs: () => number;
  giveBack: (runnerKey: number, slots: readonly GivenBackSlot[]) => Promise<void>;
}

export class Session {
  readonly options: SessionOptions;
  readonly outgoing = new PushQueue<SessionResponse>();
  assignments: StreamAssignments | undefined;
  /** What the newest heartbeat said and the lease does not know yet. */
  renewal: LeaseRenewal | undefined;
  hasSaidGoodbye = false;
  readonly #sentRuns = new Map<string, number>();
  #unacknowledged = 0;
  #wakeReader: (() => void) | undefined;

  constructor(options: SessionOptions) {
    this.options = options;
  }

  /** The first message out. @param agentSentAtMs Hello's, echoed */
  welcome(agentSentAtMs: bigint): void {
    const { nowMs, runnerId, locations, locationKey, version } = this.options;
    this.send({
      case: "welcome",
      value: create(WelcomeSchema, {
        serverTimeMs: BigInt(nowMs()),
        agentSentAtMs,
        heartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
        leaseMs: LEASE_MS,
        graceMs: GRACE_MS,
        controlPlaneVersion: version,
        runnerId,
        locations: locations.map((row) =>
          create(LocationSchema, { locationKey: row.key, locationId: row.id, name: row.name }),
        ),
        hosted: locationKey === null,
      }),
    });
  }

  send(value: SessionResponse["message"]): void {
    this.outgoing.push(message(value));
    if (this.outgoing.length > QUEUED_MESSAGES_MAX)
      this.outgoing.fail(new DomainError("conflict", "the agent does not read its stream"));
  }

  /** Sends an order to run a slot, once per session. @returns whether it was sent now */
  runNow(order: RunNow): boolean {
    const id = `${order.check?.checkKey}:${order.locationKey}:${order.slotMs}`;
    const nowMs = performance.now();
    if (this.#sentRuns.has(id)) return false;
    for (const [sent, atMs] of this.#sentRuns) {
      if (nowMs - atMs < 2 * GRACE_MS) break;
      this.#sentRuns.delete(sent);
    }
    this.#sentRuns.set(id, nowMs);
    this.send({ case: "runNow", value: order });
    return true;
  }

  /** Whether the order was sent in this session. */
  hasSentRun(run: { checkKey: number; locationKey: number; slotMs: number }): boolean {
    return this.#sentRuns.has(`${run.checkKey}:${run.locationKey}:${run.slotMs}`);
  }

  /** Ends the stream after what is queued: normally, or with the error. */
  end(error?: unknown): void {
    this.outgoing.end(error);
  }

  /** Asks the agent to connect again elsewhere. */
  drain(reason: string): void {
    this.send({ case: "drain", value: create(DrainSchema, { reason }) });
  }

  /** Results received and not acknowledged yet. */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  /** Handles what the agent sends until its side of the stream ends. Rejects when a message can't be decoded. */
  async read(requests: AsyncIterable<SessionRequest>): Promise<void> {
    for await (const request of requests) {
      if (this.outgoing.isEnded) return;
      await this.#handle(request);
    }
  }

  async #handle({ message }: SessionRequest): Promise<void> {
    switch (message.case) {
      case "heartbeat":
        return this.#handleHeartbeat(message.value);
      case "resultBatch":
        return this.#handleBatch(message.value);
      case "giveBack":
        return this.#handleGiveBack(message.value.slots);
      case "goodbye":
        this.hasSaidGoodbye = true;
        return this.finish();
      case "hello":
        throw invalidMessage("Hello is sent once");
      default:
        throw invalidMessage("a message of a kind that this control plane does not know");
    }
  }

  #handleHeartbeat(heartbeat: Heartbeat): void {
    this.renewal = renewalFromHeartbeat(this.options.sessionId, heartbeat);
    this.send({
      case: "heartbeatReply",
      value: create(HeartbeatReplySchema, {
        agentSentAtMs: heartbeat.agentSentAtMs,
        serverTimeMs: BigInt(this.options.nowMs()),
      }),
    });
  }

  /** Slots of other locations are none of this runner's business. */
  #handleGiveBack(slots: readonly GivenBackSlot[]): void {
    const { locations, nowMs, giveBack, runnerKey, log } = this.options;
    const served = new Set(locations.map((row) => row.key));
    const ageMs = (slot: GivenBackSlot) => nowMs() - Number(slot.slotMs);
    const own = slots.filter(
      (slot) =>
        served.has(slot.locationKey) && ageMs(slot) < GIVEN_BACK_AGE_MS_MAX && ageMs(slot) > -GRACE_MS,
    );
    // A database that is away delays what other runners do, not this stream.
    if (own.length > 0)
      void giveBack(runnerKey, own).catch((error) => {
        log.warn({ err: error, slots: own.length }, "given back slots could not be noted");
      });
  }

  async #handleBatch(batch: ResultBatch): Promise<void> {
    const { runnerKey, locationKey, ingester } = this.options;
    if (claimedCount(batch) > BATCH_RESULTS_MAX)
      throw invalidMessage(
        `a batch of ${claimedCount(batch)} results: at most ${BATCH_RESULTS_MAX} go in one`,
      );
    const columns = columnsFromBatch(batch, runnerKey);
    if (!columns) {
      this.#acknowledge(batch.seq, rejectAll(claimedCount(batch), "the batch's columns differ in length"));
      return;
    }
    const source: IngestSource = {
      runnerKey,
      locationKeys: locationKey === null ? null : new Set([locationKey]),
    };
    const details = batch.details.map(({ index, detailJson }) => ({ index, json: detailJson }));
    const facts = batch.facts.map(({ index, kind, factJson }) => ({ index, kind, json: factJson }));
    const count = columns.checkKeys.length;
    this.#unacknowledged += count;
    void ingester
      .submit({ columns, details, facts }, source)
      .then(({ rejections }) => this.#acknowledge(batch.seq, rejections))
      // Not acknowledged, so the agent sends it again, here or to another replica.
      .catch((error) => this.end(error))
      .finally(() => {
        this.#unacknowledged -= count;
        this.#wakeReader?.();
      });
    while (this.#unacknowledged > UNACKNOWLEDGED_RESULTS_MAX && !this.outgoing.isEnded)
      await this.#nextCommit();
  }

  #acknowledge(seq: bigint, rejections: readonly { index: number; reason: string }[]): void {
    this.send({
      case: "ack",
      value: create(AckSchema, {
        seq,
        rejections: rejections.map((rejection) => create(RejectionSchema, rejection)),
      }),
    });
  }

  /** The agent sends no more: acknowledges what is on its way, then ends the stream. */
  async finish(): Promise<void> {
    while (this.#unacknowledged > 0 && !this.outgoing.isEnded) await this.#nextCommit();
    this.end();
  }

  #nextCommit(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }
}

/** The statistics under the names that the REST API shows them by. */
function renewalFromHeartbeat(sessionId: string, heartbeat: Heartbeat): LeaseRenewal {
  return {
    sessionId,
    accepting: heartbeat.accepting,
    draining: heartbeat.draining,
    stats: {
      assignedChecks: heartbeat.assignedChecks,
      activeRuns: heartbeat.activeRuns,
      backlog: Number(heartbeat.backlogResults),
      spoolBytes: Number(heartbeat.spoolBytes),
      droppedResults: Number(heartbeat.droppedResults),
      latenessP99Ms: heartbeat.latenessP99Ms,
      loopBusyBasisPoints: heartbeat.loopBusyBasisPoints,
    },
  };
}

function rejectAll(count: number, reason: string): { index: number; reason: string }[] {
  return Array.from({ length: count }, (_, index) => ({ index, reason }));
}

function invalidMessage(text: string): DomainError {
  return new DomainError("invalid", text);
}
