/** Puts together the slots of an agent: how a due slot is probed, and where its result or its slot goes. */
import type { LocationId } from "@svc/contract";
import type { ProbeContext, ProbeHost, ProbeOutcome, ProbeRequest, TrafficLimits } from "@svc/probes";
import type { Logger } from "pino";
import type { RunArtifacts } from "../artifacts/run-artifacts.ts";
import type { Config } from "../base/config.ts";
import type { Machine } from "../base/machine.ts";
import { setTimer } from "../base/timer.ts";
import type { Metrics } from "../health/metrics.ts";
import type { GiveBackQueue } from "../session/give-back-queue.ts";
import type { Admission } from "../slots/admission.ts";
import { KeptAssertions } from "../slots/kept-assertions.ts";
import { SlotRunner } from "../slots/slot-runner.ts";
import type { DueSlot } from "../slots/slot-schedule.ts";
import type { SpecSource } from "../specs/spec-source.ts";
import type { TestRuns } from "../test-runs/test-runs.ts";
import type { Vault } from "../vault/vault.ts";
import { probeContexts } from "./probe-context.ts";
import type { ResultRecorder } from "./result-recorder.ts";
import { openTeamEgress } from "./team-egress.ts";

/** The parts of an agent that its slots use. */
export interface SlotParts {
  config: Config;
  log: Logger;
  machine: Machine;
  probe: (request: ProbeRequest, context: ProbeContext) => Promise<ProbeOutcome>;
  /** Runs browser checks; undefined: this machine has no browser. */
  browser: ProbeHost | undefined;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** True when the location is hosted, which decides about private addresses unless the operator did. */
  isHosted: () => boolean;
  /** Returns the public id of a location; undefined: it is not known. */
  locationIdOf: (locationKey: number) => LocationId | undefined;
  /** Aborted when all runs must end at once. */
  abortRuns: AbortSignal;
  specs: SpecSource;
  artifacts: RunArtifacts;
  admission: Admission;
  metrics: Metrics;
  results: ResultRecorder;
  vault: Vault;
  testRuns: TestRuns;
  /** Called with each slot that could not be run by this agent's own fault. */
  onGiveBack: GiveBackQueue["add"];
}

/** Makes the slots of an agent. Nothing is due before an assignment is applied. */
export function makeSlots(parts: SlotParts): SlotRunner {
  const { config, log, admission, metrics, artifacts, results, testRuns, nowMs } = parts;
  const keptAssertions = new KeptAssertions();
  const runner: SlotRunner = new SlotRunner({
    nowMs,
    setTimer,
    probe: probeOf(parts, keptAssertions, () => runner.isShared),
    onResult: (slot, result) => {
      if (testRuns.has(slotKeyOf(slot))) return testRuns.end(slotKeyOf(slot), result);
      keptAssertions.note(slot, { isSuccess: result.status === "success" });
      results.record(slot, result);
      artifacts.runEnded(slotKeyOf(slot), result.detail);
    },
    onGiveBack: (slot) => {
      if (testRuns.has(slot)) return testRuns.giveBack(slot);
      artifacts.runEnded(slot, undefined);
      metrics.runGivenBack(slot.reason);
      parts.onGiveBack(slot);
    },
    onStart: (latenessMs) => {
      admission.recordLateness(latenessMs);
      metrics.runStarted(latenessMs);
    },
    warn: (message, fields) => log.error(fields, message),
    maxInFlight: config.maxInFlight,
  });
  return runner;
}

/**
 * Returns the function that probes a due slot through its team's own way out.
 * @param isShared true while several teams have checks here
 */
function probeOf(parts: SlotParts, keptAssertions: KeptAssertions, isShared: () => boolean) {
  const { config, machine, probe, artifacts, vault, testRuns } = parts;
  const contextOf = probeContexts({
    signal: parts.abortRuns,
    nowMs: parts.nowMs,
    isPrivateAllowed: () => config.isPrivateEgressAllowed ?? !parts.isHosted(),
    egressOf: openTeamEgress(process.env.UV_THREADPOOL_SIZE, machine.monotonicMs),
    openApiSpecs: parts.specs,
    bodyBytesMax: config.bodyBytesMax,
    browser: parts.browser,
  });
  return (
    request: ProbeRequest,
    slot: DueSlot,
    sleep: NonNullable<ProbeContext["sleep"]>,
  ): Promise<ProbeOutcome> => {
    const key = slotKeyOf(slot);
    const { teamNumber } = slot.check;
    const isTestRun = testRuns.has(key);
    if (isTestRun) testRuns.start(key);
    const context = contextOf({
      teamNumber,
      team: isShared() ? String(teamNumber) : undefined,
      sleep,
      beginByMs: slot.beginByMs,
      locationId: isTestRun ? undefined : parts.locationIdOf(slot.locationKey),
      artifacts: isTestRun ? testRuns.picturesOf(key) : artifacts.sinkFor(key),
    });
    return vault.run(slot.check, request, (filled) => {
      if (isTestRun) return probe(asTestRun(filled, testRuns.limitsOf(key)), context);
      return probe(keptAssertions.isKept(slot) ? { ...filled, keepsAssertions: true } : filled, context);
    });
  };
}

/** Returns the request of a test run, whose result holds all that somebody may want to see. */
function asTestRun(request: ProbeRequest, trafficLimits: TrafficLimits | undefined): ProbeRequest {
  return { ...request, keepsAssertions: true, keepsResponse: true, ...(trafficLimits && { trafficLimits }) };
}

function slotKeyOf({ check: { checkKey }, locationKey, slotMs }: DueSlot) {
  return { checkKey, locationKey, slotMs };
}
