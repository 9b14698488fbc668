/**
 * One agent's session, from Hello to the end of its stream. States: opening (the runner's row is written, the fleet read)
 * -> live (the snapshot is sent; messages are handled as they come) -> ended, either by the agent (goodbye: its lease ends
 * at once; broken stream: the lease is shortened) or by the control plane (drain, revoked key, a newer session of the
 * runner). Outgoing messages pass one queue, so that they keep their order.
 */
import { create } from "@bufbuild/protobuf";
import { DomainError, type RunnerId, type RunnerKeyId } from "@svc/contract";
import {
  AckSchema,
  DrainSchema,
  type GiveBack,
  GiveBackAckSchema,
  type GivenBackSlot,
  type Heartbeat,
  HeartbeatReplySchema,
  LocationSchema,
  RejectionSchema,
  type ResultBatch,
  type RunNow,
  type SessionRequest,
  type SessionResponse,
  SessionResponseSchema,
  type TestRunReport,
  TestRunReportAckSchema,
  WelcomeSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type { Logger } from "pino";
import type { LocationRow } from "../fleet/fleet-store.ts";
import type { RunnerSealer } from "../fleet/runner-sealer.ts";
import type { StreamAssignments } from "../fleet/stream-assignments.ts";
import { GRACE_MS, HEARTBEAT_INTERVAL_MS, LEASE_MS } from "../fleet/timing.ts";
import type { CheckLocationSlot } from "../platform/check-location.ts";
import { isDatabaseUnavailable } from "../platform/db/errors.ts";
import { beganWork } from "../platform/loop-watch.ts";
import { claimedCount, columnsFromBatch } from "../results/ingest/columns.ts";
import type { Ingester } from "../results/ingest/ingester.ts";
import type { IngestSource } from "../results/ingest/judge.ts";
import { type Backlog, backlogSize } from "./backlog.ts";
import { slotsAt } from "./given-back-slots.ts";
import { renewalFromHeartbeat } from "./lease-renewal.ts";
import { PushQueue } from "./push-queue.ts";
import { SentSlots } from "./sent-slots.ts";
import type { LeaseRenewal } from "./store.ts";

/**
 * Results of one stream that may wait for their commit. Beyond it the stream is not read, so the agent waits. Agents keep
 * to a window well below it, so that their heartbeats are always read.
 */
const UNACKNOWLEDGED_RESULTS_MAX = 10_000;
/** Results that one message may carry; agents send a tenth of it. A larger batch would delay the results of all others. */
const BATCH_RESULTS_MAX = 5_000;
/** Slots that one message may give back; agents send a fifth of it. */
const GIVEN_BACK_MAX = 5_000;
/** Messages with slots that were given back, or about test runs, that are not recorded yet. Beyond it the stream is not read. */
const UNRECORDED_MAX = 8;
/** Messages that an agent may leave unread before its stream is ended. */
const QUEUED_MESSAGES_MAX = 20_000;

/** The runner of a session and the parts of the service that the session uses. */
export interface SessionParts {
  sessionId: string;
  /** Seals the values of secrets to the agent's key; undefined: it has none. */
  sealer: RunnerSealer | undefined;
  runnerKey: number;
  runnerId: RunnerId;
  runnerKeyId: RunnerKeyId;
  /** The location that the runner key is for; null: it is for the hosted pool. */
  locationKey: number | null;
  /** The locations that the session serves. */
  locations: readonly LocationRow[];
  /** Version of the control plane's software, sent to the agent. */
  version: string;
  /** What the runner said that it can hold, for its row: the capacity of its location is counted from it. */
  runLimits: { freshRuns: number; browserPages: number };
  log: Logger;
  ingester: Ingester;
  /** Results of the team that wait for their commit, over all its sessions. */
  backlog: Backlog;
  nowMs: () => number;
  /** Monotonic clock, ms. */
  monotonicMs: () => number;
  giveBack: (slots: readonly GivenBackSlot[]) => Promise<void>;
  receiveTestRunReport: (report: TestRunReport) => Promise<void>;
}

/** One session with an agent, over one stream. */
export class Session {
  readonly parts: SessionParts;
  readonly outgoing = new PushQueue<SessionResponse>();
  /** Undefined until the session is live. */
  assignments: StreamAssignments | undefined;
  /** The newest heartbeat, until the lease was renewed by it. */
  renewal: LeaseRenewal | undefined;
  hasSaidGoodbye = false;
  readonly #sentSlots: SentSlots;
  #unacknowledged = 0;
  #unrecorded = 0;
  /** Numbers of reports about test runs that are being stored. */
  readonly #reportsUnderWay = new Set<bigint>();
  #wakeReader: (() => void) | undefined;

  constructor(parts: SessionParts) {
    this.parts = parts;
    this.#sentSlots = new SentSlots(parts.monotonicMs);
  }

  /**
   * Sends the first message.
   * @param agentSentAtMs the Hello's, which is echoed
   */
  welcome(agentSentAtMs: bigint): void {
    const { nowMs, runnerId, locations, locationKey, version } = this.parts;
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
        acksTestRunReports: true,
        acksGiveBacks: true,
      }),
    });
  }

  send(message: SessionResponse["message"]): void {
    this.outgoing.push(create(SessionResponseSchema, { message }));
    if (this.outgoing.length > QUEUED_MESSAGES_MAX)
      this.outgoing.fail(new DomainError("conflict", "the agent does not read its stream"));
  }

  /** Sends a dispatch, unless it was sent in this session before. */
  dispatch(runNow: RunNow): void {
    const slot = {
      checkKey: Number(runNow.check?.checkKey),
      locationKey: runNow.locationKey,
      slotMs: Number(runNow.slotMs),
    };
    if (this.#sentSlots.has(slot)) return;
    this.#sentSlots.add(slot);
    this.send({ case: "runNow", value: runNow });
  }

  /** True when the slot was dispatched in this session. */
  hasSent(slot: CheckLocationSlot): boolean {
    return this.#sentSlots.has(slot);
  }

  /** Ends the stream once the queued messages were sent: normally, or with the error. */
  end(error?: unknown): void {
    this.outgoing.end(error);
  }

  /** Asks the agent to connect again elsewhere. */
  drain(reason: string): void {
    this.send({ case: "drain", value: create(DrainSchema, { reason }) });
  }

  /** Handles what the agent sends until its side of the stream ends. Rejects when a message can't be decoded. */
  async read(requests: AsyncIterable<SessionRequest>): Promise<void> {
    for await (const request of requests) {
      if (this.outgoing.isEnded) return;
      await this.#handle(request);
    }
  }

  async #handle({ message }: SessionRequest): Promise<void> {
    beganWork(`message ${message.case ?? "of an unknown kind"}`);
    switch (message.case) {
      case "heartbeat":
        return this.#handleHeartbeat(message.value);
      case "resultBatch":
        return this.#handleBatch(message.value);
      case "giveBack":
        return this.#handleGiveBack(message.value);
      case "testRunReport":
        return this.#handleTestRunReport(message.value);
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
    this.renewal = renewalFromHeartbeat(this.parts, heartbeat);
    this.send({
      case: "heartbeatReply",
      value: create(HeartbeatReplySchema, {
        agentSentAtMs: heartbeat.agentSentAtMs,
        serverTimeMs: BigInt(this.parts.nowMs()),
      }),
    });
  }

  /**
   * Passes on the slots of this runner's locations; others are ignored, and so are slots too old or far ahead. Acknowledges the
   * message once they are recorded; the agent sends them again over another stream until then.
   */
  async #handleGiveBack({ slots, seq }: GiveBack): Promise<void> {
    if (slots.length > GIVEN_BACK_MAX)
      throw invalidMessage(`${slots.length} slots given back: at most ${GIVEN_BACK_MAX} go in one message`);
    const { locations, nowMs, giveBack } = this.parts;
    const own = slotsAt(new Set(locations.map((row) => row.key)), slots, nowMs());
    const acknowledge = () => {
      if (seq > 0n) this.send({ case: "giveBackAck", value: create(GiveBackAckSchema, { seq }) });
    };
    if (own.length === 0) return acknowledge();
    const writing = giveBack(own).then(acknowledge, (error: unknown) => {
      // Slots that the database refuses would be refused again.
      if (isDatabaseUnavailable(error)) this.end(error);
      else acknowledge();
      throw error;
    });
    await this.#record(writing, `${own.length} slots that were given back`);
  }

  /** Acknowledges the report once it is stored; the agent sends it again until then. */
  async #handleTestRunReport(report: TestRunReport): Promise<void> {
    const { seq } = report;
    if (this.#reportsUnderWay.has(seq)) return;
    if (seq > 0n) this.#reportsUnderWay.add(seq);
    const writing = this.parts.receiveTestRunReport(report).then(() => {
      if (seq > 0n) this.send({ case: "testRunReportAck", value: create(TestRunReportAckSchema, { seq }) });
    });
    await this.#record(
      writing.finally(() => this.#reportsUnderWay.delete(seq)),
      "a report about a test run",
    );
  }

  /** Resolves when the next message may be read. Does not await the writing: a database that is away shall not hold up this stream. */
  async #record(writing: Promise<void>, subject: string): Promise<void> {
    this.#unrecorded++;
    void writing
      .catch((error) => {
        this.parts.log.warn({ err: error }, `${subject} could not be recorded`);
      })
      .finally(() => {
        this.#unrecorded--;
        this.#wakeReader?.();
      });
    while (this.#unrecorded > UNRECORDED_MAX && !this.outgoing.isEnded) await this.#nextCommit();
  }

  async #handleBatch(batch: ResultBatch): Promise<void> {
    const { runnerKey, locationKey, ingester, backlog } = this.parts;
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
    const evidenceBytes = [...details, ...facts].reduce((sum, { json }) => sum + json.length, 0);
    const size = backlogSize(columns.checkKeys.length, evidenceBytes);
    this.#unacknowledged += size;
    backlog.add(size);
    void ingester
      .submit({ columns, details, facts }, source)
      .then(({ rejections }) => this.#acknowledge(batch.seq, rejections))
      // The batch is not acknowledged, so the agent sends it again, here or to another replica.
      .catch((error) => this.end(error))
      .finally(() => {
        this.#unacknowledged -= size;
        backlog.remove(size);
        this.#wakeReader?.();
      });
    while (this.#unacknowledged > UNACKNOWLEDGED_RESULTS_MAX && !this.outgoing.isEnded)
      await this.#nextCommit();
    while (backlog.isFull && !this.outgoing.isEnded) await backlog.untilRemoved();
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

  /** Acknowledges the batches that still wait for their commit, then ends the stream. For an agent that sends no more. */
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

function rejectAll(count: number, reason: string): { index: number; reason: string }[] {
  return Array.from({ length: count }, (_, index) => ({ index, reason }));
}

function invalidMessage(text: string): DomainError {
  return new DomainError("invalid", text);
}
