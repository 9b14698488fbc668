/** A replica's work on results before and after they are stored: decoding, judging their slots, judging their checks' rules. */
import { create, fromBinary } from "@bufbuild/protobuf";
import type { AlertRuleId, Condition, TeamId } from "@svc/contract";
import { STATUS_CODES } from "@svc/contract";
import { AckSchema, HeartbeatReplySchema, SessionRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { evaluateCheck } from "../../../control-plane/src/alerting/evaluation/evaluate-check.ts";
import { evidenceByRow, newResultOf } from "../../../control-plane/src/alerting/evaluation/new-results.ts";
import { ResultReplay } from "../../../control-plane/src/alerting/evaluation/result-replay.ts";
import type { EvaluatedRule } from "../../../control-plane/src/alerting/evaluation/transitions.ts";
import type { NewResult } from "../../../control-plane/src/alerting/inputs/judged-result.ts";
import { noLookups } from "../../../control-plane/src/alerting/inputs/sources.ts";
import type { FleetState } from "../../../control-plane/src/fleet/fleet-state.ts";
import { columnsFromBatch } from "../../../control-plane/src/results/ingest/columns.ts";
import { judgeKey } from "../../../control-plane/src/results/ingest/judge.ts";
import { wireBytes } from "./agent.ts";
import { type FleetSize, locationRows, PERIOD_MS, START_MS } from "./fleet.ts";

/** The rule that every check has: two failures in a row from a location. */
const CONDITIONS: readonly Condition[] = [{ type: "consecutive_failures", count: 2 } as Condition];

/** Counts of what a replica did with results. */
export class Intake {
  accepted = 0;
  rejected = 0;
  /** Rules that fired. */
  fired = 0;
  readonly #state: FleetState;
  readonly #size: FleetSize;

  constructor(state: FleetState, size: FleetSize) {
    this.#state = state;
    this.#size = size;
  }

  /** Takes a message of an agent. @returns the answer; undefined: there is none */
  receive(bytes: Uint8Array, runnerKey: number, nowMs: number): Uint8Array | undefined {
    const { message } = fromBinary(SessionRequestSchema, bytes);
    if (message.case === "heartbeat")
      return wireBytes({
        case: "heartbeatReply",
        value: create(HeartbeatReplySchema, {
          agentSentAtMs: message.value.agentSentAtMs,
          serverTimeMs: BigInt(Math.round(nowMs)),
        }),
      });
    if (message.case !== "resultBatch") return undefined;
    const columns = columnsFromBatch(message.value, runnerKey);
    if (!columns) throw new Error("the columns of a simulated batch differ in length");
    const group = { columns, details: [], facts: [] } as unknown as Parameters<typeof newResultOf>[0];
    const evidence = evidenceByRow(group);
    const context = { state: this.#state, nowMs, retainedFromMs: START_MS - PERIOD_MS };
    const source = { runnerKey, locationKeys: null };
    for (let row = 0; row < columns.checkKeys.length; row++) {
      const checkKey = columns.checkKeys[row] as number;
      const key = {
        checkKey,
        locationKey: columns.locationKeys[row] as number,
        slotMs: columns.slotsMs[row] as number,
      };
      if (judgeKey(key, source, context).kind !== "accepted") this.rejected++;
      else {
        this.accepted++;
        // As in the evaluator: a plain success changes nothing for a rule about failures.
        if (columns.statuses[row] !== STATUS_CODES.success)
          this.#evaluate(checkKey, newResultOf(group, row, evidence), nowMs);
      }
    }
    return wireBytes({ case: "ack", value: create(AckSchema, { seq: message.value.seq }) });
  }

  /** Judges the rule of a check by a failure that follows another one of its location. */
  #evaluate(checkKey: number, newResult: NewResult, nowMs: number): void {
    const before = { ...stored(newResult), slotMs: newResult.slotMs - PERIOD_MS };
    const locations = locationRows(this.#size).map(({ key, id, name }) => ({
      locationKey: key,
      locationId: id,
      name,
      results: key === newResult.locationKey ? [stored(newResult), before] : [],
    }));
    const replay = new ResultReplay({ checkKey, nowMs, locations, lookups: noLookups() }, [newResult]);
    const transitions = evaluateCheck({
      enabled: true,
      rules: [ruleOf(checkKey)],
      open: [],
      confirmations: [],
      replay,
      nowMs,
      newResults: [newResult],
    });
    this.fired += transitions.filter(({ kind }) => kind === "triggered").length;
  }
}

function stored(result: NewResult) {
  const { locationKey, slotMs, status, runnerKey, responseTimeUs, httpStatusCode } = result;
  const phases = { dnsLookupUs: null, tlsHandshakeUs: null, ttfbUs: null, contentTransferUs: null };
  return { locationKey, slotMs, status, runnerKey, responseTimeUs, httpStatusCode, traceId: null, ...phases };
}

function ruleOf(checkKey: number): EvaluatedRule {
  return {
    key: checkKey,
    id: `alert_${checkKey}` as AlertRuleId,
    checkKey,
    teamId: "team" as TeamId,
    name: null,
    conditions: CONDITIONS,
    channelIds: [],
    confirm: false,
    recoverySuccesses: 1,
  };
}
