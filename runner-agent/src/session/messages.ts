/** Converts between the protocol's messages and the agent's plain values. Checks with an impossible grid are left out. */

import { create } from "@bufbuild/protobuf";
import { RUN_FAULTS } from "@svc/contract";
import type { TrafficLimits } from "@svc/probes";
import {
  type GiveBack,
  GiveBackSchema,
  type Hello,
  HelloSchema,
  type Assignment as ProtoAssignment,
  type Check as ProtoCheck,
  type Delta as ProtoDelta,
  type RunNow as ProtoRunNow,
  type Snapshot as ProtoSnapshot,
  type TestRun as ProtoTestRun,
  type TestRunReport as ProtoTestRunReport,
  type TrafficLimits as ProtoTrafficLimits,
  TestRunPictureSchema,
  TestRunReportSchema,
  TestRunStartedSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type {
  Assignment,
  AssignmentDelta,
  AssignmentSnapshot,
  CheckDefinition,
  Dispatch,
  TestRunDispatch,
} from "../model/assignment.ts";
import type { NumberedReport, TestRunReport } from "../model/test-run-report.ts";
import type { GiveBackMessage } from "./give-back-queue.ts";
import { resultBatchOf } from "./result-batch.ts";

/** Identity and abilities of this agent, for the Hello. */
export interface AgentIdentity {
  runnerUuid: string;
  processUuid: string;
  agentVersion: string;
  protocolVersion: number;
  hostname: string;
  capabilities: string[];
  capacityPerSecond: number;
  locationIds: string[];
  /** The agent's key for secrets of teams, 32 bytes. */
  secretsPublicKey: Uint8Array;
  /** True: this agent carries out test runs. */
  runsTests: boolean;
  /** True: this agent holds test runs to their limits. */
  limitsTestRuns: boolean;
  /** Runs that may begin at a time. */
  freshRuns: number;
  /** Pages that there is memory for; 0: no browser. */
  browserPages: number;
}

/** Returns the Hello. @param localMs the agent's uncorrected clock, Unix ms */
export function helloToProto(identity: AgentIdentity, localMs: number): Hello {
  return create(HelloSchema, { ...identity, agentSentAtMs: BigInt(Math.round(localMs)) });
}

/** Returns the message that gives these slots back. */
export function giveBackToProto({ seq, slots }: GiveBackMessage): GiveBack {
  return create(GiveBackSchema, {
    seq: BigInt(seq),
    slots: slots.map(({ checkKey, locationKey, slotMs, reason }) => ({
      checkKey: BigInt(checkKey),
      locationKey,
      slotMs: BigInt(slotMs),
      reason: RUN_FAULTS[reason].wireNumber,
    })),
  });
}

/** Returns one part of a snapshot. */
export function snapshotFromProto({ checks, assignments }: ProtoSnapshot): AssignmentSnapshot {
  return {
    checks: checks.filter(isUsable).map(checkFromProto),
    assignments: assignments.map(assignmentFromProto),
  };
}

/** Returns a change of the assignment. */
export function deltaFromProto({ checks, assignments, unassignments }: ProtoDelta): AssignmentDelta {
  return {
    checks: checks.filter(isUsable).map(checkFromProto),
    assignments: assignments.map(assignmentFromProto),
    unassignments: unassignments.map(({ checkKey, locationKey }) => ({
      checkKey: Number(checkKey),
      locationKey,
    })),
  };
}

/** Returns the dispatch, or undefined when its check can't be run. */
export function dispatchFromProto({
  check,
  locationKey,
  slotMs,
  beginByMs,
}: ProtoRunNow): Dispatch | undefined {
  if (check === undefined || !isUsable(check)) return undefined;
  return {
    check: checkFromProto(check),
    locationKey,
    slotMs: Number(slotMs),
    beginByMs: beginByMs > 0n ? Number(beginByMs) : undefined,
  };
}

/** Returns the test run, or undefined when its check can't be run. */
export function testRunFromProto({
  testRunId,
  check,
  locationKey,
  beginByMs,
  limits,
}: ProtoTestRun): TestRunDispatch | undefined {
  if (check === undefined || !isUsable(check)) return undefined;
  return {
    testRunId,
    check: checkFromProto(check),
    locationKey,
    beginByMs: Number(beginByMs),
    ...(limits && { limits: limitsFromProto(limits) }),
  };
}

function limitsFromProto({
  origins,
  readOrigins,
  readsAnywhere,
  allowsWrites,
}: ProtoTrafficLimits): TrafficLimits {
  return { origins, readOrigins: readsAnywhere ? null : readOrigins, allowsWrites };
}

/** Returns the message that reports about a test run. */
export function testRunReportToProto({
  testRunId,
  locationKey,
  said,
  seq,
}: NumberedReport): ProtoTestRunReport {
  return create(TestRunReportSchema, {
    testRunId,
    locationKey,
    report: reportOf(said),
    seq: BigInt(seq),
    pictures:
      said.kind === "result" ? said.pictures.map((picture) => create(TestRunPictureSchema, picture)) : [],
  });
}

function reportOf(said: TestRunReport["said"]): ProtoTestRunReport["report"] {
  if (said.kind === "started") return { case: "started", value: create(TestRunStartedSchema) };
  if (said.kind === "fault") return { case: "fault", value: RUN_FAULTS[said.reason].wireNumber };
  return { case: "result", value: resultBatchOf(0, [said.record]) };
}

function isUsable(check: ProtoCheck): boolean {
  return check.frequencySeconds > 0 && check.phaseMs < check.frequencySeconds * 1000;
}

function checkFromProto(check: ProtoCheck): CheckDefinition {
  return {
    checkKey: Number(check.checkKey),
    checkId: check.checkId,
    name: check.name,
    type: check.type,
    configJson: check.configJson,
    frequencySeconds: check.frequencySeconds,
    phaseMs: check.phaseMs,
    revision: Number(check.revision),
    retryJson: check.retryJson,
    teamNumber: check.teamNumber,
    ...(check.apiSpecs.length > 0
      ? { apiSpecs: check.apiSpecs.map(({ specId, contentSha256 }) => ({ specId, contentSha256 })) }
      : {}),
    ...(check.sealedSecrets.length > 0 && {
      sealedSecrets: Buffer.from(check.sealedSecrets).toString("base64"),
    }),
  };
}

function assignmentFromProto(assignment: ProtoAssignment): Assignment {
  return {
    checkKey: Number(assignment.checkKey),
    locationKey: assignment.locationKey,
    staggerMs: assignment.staggerMs,
    effectiveFromMs: Number(assignment.effectiveFromMs),
    doneSlotsMs: assignment.doneSlotsMs.map(Number),
  };
}
