/** A simulated agent: the real schedule of slots, fed by the real messages, on the other end of a simulated network. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  HeartbeatSchema,
  type SessionRequest,
  SessionRequestSchema,
  type SessionResponse,
  SessionResponseSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { GRACE_MS } from "../../../control-plane/src/fleet/timing.ts";
import type { AssignmentSnapshot } from "../../../runner-agent/src/model/assignment.ts";
import type { ResultRecord } from "../../../runner-agent/src/model/result-record.ts";
import { deltaFromProto, snapshotFromProto } from "../../../runner-agent/src/session/messages.ts";
import { resultBatchOf } from "../../../runner-agent/src/session/result-batch.ts";
import { type DueSlot, SlotSchedule } from "../../../runner-agent/src/slots/slot-schedule.ts";
import { type AgentPosition, chance } from "./fleet.ts";

/** One check of so many fails. */
const FAILURES_ONE_IN = 100;

/** One check location that an agent was assigned. */
export interface Held {
  checkKey: number;
  locationKey: number;
  atMs: number;
}

/** An agent with its schedule and the bytes that it got and sent. */
export class SimulatedAgent {
  readonly position: AgentPosition;
  readonly schedule = new SlotSchedule();
  bytesIn = 0;
  bytesOut = 0;
  /** When the last part of the snapshot had come, Unix ms. */
  hasSnapshotAtMs: number | undefined;
  /** Called for each check location that a delta brings. */
  onHeld: ((held: Held) => void) | undefined;
  readonly #isDeaf: boolean;
  #parts: AssignmentSnapshot = { checks: [], assignments: [] };

  /** @param isDeaf true: it counts what comes and holds nothing, so that the replica's memory can be seen alone */
  constructor(position: AgentPosition, isDeaf = false) {
    this.position = position;
    this.#isDeaf = isDeaf;
  }

  /** Handles a message of the control plane that arrived now. */
  receive(bytes: Uint8Array, nowMs: number): void {
    this.bytesIn += bytes.length;
    if (this.#isDeaf) return;
    const { message } = fromBinary(SessionResponseSchema, bytes);
    if (message.case === "snapshot") {
      const part = snapshotFromProto(message.value);
      for (const check of part.checks) this.#parts.checks.push(check);
      for (const assignment of part.assignments) this.#parts.assignments.push(assignment);
      if (!message.value.last) return;
      this.schedule.applySnapshot(this.#parts, nowMs, GRACE_MS);
      this.#parts = { checks: [], assignments: [] };
      this.hasSnapshotAtMs = nowMs;
    } else if (message.case === "delta") {
      const delta = deltaFromProto(message.value);
      this.schedule.applyDelta(delta, nowMs, GRACE_MS);
      for (const { checkKey, locationKey } of delta.assignments)
        this.onHeld?.({ checkKey, locationKey, atMs: nowMs });
    }
  }

  /** Returns the slots that are due until now; those that the agent came too late for are left out. */
  advanceTo(nowMs: number): DueSlot[] {
    const due: DueSlot[] = [];
    this.schedule.advance(nowMs, GRACE_MS, { onDue: (slot) => due.push(slot), onMissed: () => undefined });
    return due;
  }

  heartbeat(nowMs: number): Uint8Array {
    return this.#send({
      case: "heartbeat",
      value: create(HeartbeatSchema, {
        agentSentAtMs: BigInt(Math.round(nowMs)),
        activeRuns: 20,
        assignedChecks: this.schedule.checkCount,
        spoolBytes: 100_000n,
        latenessP99Ms: 15,
        loopBusyBasisPoints: 2_000,
        accepting: true,
      }),
    });
  }

  resultBatch(seq: number, records: readonly ResultRecord[]): Uint8Array {
    return this.#send({ case: "resultBatch", value: resultBatchOf(seq, records) });
  }

  #send(message: SessionRequest["message"]): Uint8Array {
    const bytes = toBinary(SessionRequestSchema, create(SessionRequestSchema, { message }));
    this.bytesOut += bytes.length;
    return bytes;
  }
}

/** Returns a message of the control plane as it goes over the wire. */
export function wireBytes(message: SessionResponse["message"]): Uint8Array {
  return toBinary(SessionResponseSchema, create(SessionResponseSchema, { message }));
}

/** Returns the result of a slot's run; one check of a hundred fails. */
export function recordOf({ check, locationKey, slotMs, dueMs }: DueSlot): ResultRecord {
  const isFailure = check.checkKey % FAILURES_ONE_IN === 0;
  const vary = Math.floor(chance(check.checkKey, slotMs / 1000) * 50_000);
  return {
    checkKey: check.checkKey,
    locationKey,
    slotMs,
    startDelayMs: dueMs - slotMs + 5,
    elapsedUs: 130_000 + vary,
    status: isFailure ? "failure" : "success",
    httpStatusCode: isFailure ? 503 : 200,
    responseTimeUs: 120_000 + vary,
    dnsLookupUs: 4_000,
    tcpConnectUs: 20_000,
    tlsHandshakeUs: 45_000,
    ttfbUs: 110_000 + vary,
    contentTransferUs: 1_500,
    traceId: `${check.checkKey}`.padStart(32, "0"),
    detailJson: "",
    facts: [],
  };
}
