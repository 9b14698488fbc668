/** Writes what the evaluation decided: instances, events, orders of confirmation runs, notifications; in its transaction. */
import { type CheckId, MINUTE_MS, newId, type Severity, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { dispatchRun } from "../../checks/dispatch-run.ts";
import { activeWindowsFor } from "../../checks/maintenance/held-store.ts";
import type { AlertNotification } from "../../outbox/payload.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { type FreshResult, resultIdOfFact } from "../conditions/condition-input.ts";
import { type AlertCheckRow, readLocationNames } from "../inputs/result-store.ts";
import { notificationOf } from "../instances/instance-notification.ts";
import {
  type AlertEventRow,
  type ConfirmationRow,
  deleteConfirmations,
  type InstanceRow,
  insertAlertEvents,
  insertInstances,
  putConfirmations,
  readRunnerIds,
  updateInstances,
} from "../instances/transition-store.ts";
import type { AlertContext, OpenInstance, Transition } from "./transitions.ts";

/** What one check's evaluation led to. */
export interface CheckOutcome {
  check: AlertCheckRow;
  open: readonly OpenInstance[];
  transitions: readonly Transition[];
}

/** How long a confirmation run is waited for; then the next failure asks for another. */
const CONFIRMATION_MS = MINUTE_MS;

/** An instance while its transitions are gone through. */
interface Draft extends Omit<InstanceRow, "state"> {
  state: InstanceRow["state"];
  isNew: boolean;
}

export async function writeTransitions(
  trx: Knex,
  outcomes: readonly CheckOutcome[],
  nowMs: number,
): Promise<void> {
  const writer = new TransitionWriter(
    nowMs,
    await findMutedChecks(trx, outcomes, nowMs),
    await findConfirmers(trx, outcomes),
  );
  for (const outcome of outcomes) writer.add(outcome);
  const drafts = [...writer.drafts];
  // What ends goes first: a rule has one open instance at most, and one batch may end it and begin the next.
  await updateInstances(
    trx,
    drafts.filter(({ isNew }) => !isNew),
  );
  await insertInstances(
    trx,
    drafts.filter(({ isNew }) => isNew).map(({ isNew, ...row }) => row),
  );
  await insertAlertEvents(trx, writer.events);
  await deleteConfirmations(trx, [...writer.endedConfirmations]);
  await orderConfirmations(trx, [...writer.wantedConfirmations.values()], nowMs);
  await reportAlerts(trx, writer.notifications);
}

class TransitionWriter {
  readonly drafts = new Set<Draft>();
  readonly events: AlertEventRow[] = [];
  readonly notifications: AlertNotification[] = [];
  readonly endedConfirmations = new Set<number>();
  readonly wantedConfirmations = new Map<number, WantedConfirmation>();
  readonly #nowMs: number;
  readonly #isMuted: (checkKey: number) => boolean;
  readonly #confirmerOf: (checkKey: number, result: FreshResult) => NonNullable<AlertContext["confirmedBy"]>;

  constructor(
    nowMs: number,
    isMuted: (checkKey: number) => boolean,
    confirmerOf: (checkKey: number, result: FreshResult) => NonNullable<AlertContext["confirmedBy"]>,
  ) {
    this.#nowMs = nowMs;
    this.#isMuted = isMuted;
    this.#confirmerOf = confirmerOf;
  }

  add({ check, open, transitions }: CheckOutcome): void {
    const drafts = new Map<number, Draft>();
    for (const instance of open) drafts.set(instance.ruleKey, draftOf(instance, check.teamId));
    for (const transition of transitions) {
      const { rule } = transition;
      switch (transition.kind) {
        case "triggered":
          drafts.set(rule.key, this.#trigger(check, transition));
          break;
        case "escalated":
        case "recovered": {
          const draft = drafts.get(rule.key);
          if (!draft) break;
          if (transition.kind === "escalated") this.#escalate(check, draft, transition);
          else this.#recover(check, draft, transition);
          this.drafts.add(draft);
          break;
        }
        case "confirmation_wanted":
          this.wantedConfirmations.set(rule.key, { check, ruleKey: rule.key, fresh: transition.fresh });
          break;
        case "confirmation_over":
          if (!this.wantedConfirmations.delete(rule.key)) this.endedConfirmations.add(rule.key);
          break;
      }
    }
  }

  #trigger(check: AlertCheckRow, transition: Extract<Transition, { kind: "triggered" }>): Draft {
    const { rule, severity, fresh, confirmedBy } = transition;
    const isMuted = this.#isMuted(check.key);
    const context = confirmedBy
      ? { ...transition.context, confirmedBy: this.#confirmerOf(check.key, confirmedBy) }
      : transition.context;
    const draft: Draft = {
      ...{
        id: newId("alertInstance"),
        teamId: rule.teamId,
        ruleKey: rule.key,
        checkKey: check.key,
        isNew: true,
      },
      ...{ state: "active", severity, context, startedAtMs: this.#nowMs, recoveredAtMs: null },
      triggeringResultId: fresh ? resultIdOfFact(check.key, fresh) : null,
      triggeringTraceId: fresh?.traceId ?? null,
      recoveryResultId: null,
      mutedBy: isMuted ? "window" : null,
      wasAnnounced: !isMuted,
      hasUntoldEscalation: false,
    };
    this.drafts.add(draft);
    this.#note(draft, "triggered");
    if (isMuted) this.#note(draft, "muted", { by: "window" });
    else this.#tell("triggered", check, draft, transition, false);
    return draft;
  }

  #escalate(
    check: AlertCheckRow,
    draft: Draft,
    transition: Extract<Transition, { kind: "escalated" }>,
  ): void {
    const from: Severity = draft.severity;
    draft.severity = transition.severity;
    draft.context = transition.context;
    this.#note(draft, "escalated", { from, to: transition.severity });
    if (draft.mutedBy === null && this.#isMuted(check.key)) {
      draft.mutedBy = "window";
      this.#note(draft, "muted", { by: "window" });
    }
    if (draft.mutedBy === null) this.#tell("escalated", check, draft, transition, false);
    // What was never told is told whole when the mute ends.
    else draft.hasUntoldEscalation = draft.wasAnnounced;
  }

  #recover(check: AlertCheckRow, draft: Draft, transition: Extract<Transition, { kind: "recovered" }>): void {
    draft.state = "recovered";
    draft.recoveredAtMs = this.#nowMs;
    draft.recoveryResultId = resultIdOfFact(check.key, transition.fresh);
    this.#note(draft, "recovered");
    // Whoever was told of the beginning is told of the end, muted meanwhile or not: a page must not stay open.
    if (draft.wasAnnounced) this.#tell("recovered", check, draft, transition, true);
  }

  #note(draft: Draft, type: AlertEventRow["type"], detail: Record<string, unknown> | null = null): void {
    const { teamId, id: instanceId, checkKey, state, severity, context } = draft;
    const events = { teamId, instanceId, checkKey, type, state, severity, actorId: null };
    this.events.push({
      ...events,
      detail: { summary: context.summary, ...detail },
      createdAtMs: this.#nowMs,
    });
  }

  #tell(
    kind: AlertNotification["kind"],
    check: AlertCheckRow,
    instance: Draft,
    { rule }: Transition,
    isEnd: boolean,
  ): void {
    this.notifications.push(notificationOf({ kind, check, instance, rule, isEnd, atMs: this.#nowMs }));
  }
}

function draftOf(instance: OpenInstance, teamId: TeamId): Draft {
  return {
    ...instance,
    ...{ teamId, isNew: false, recoveredAtMs: null, recoveryResultId: null, triggeringResultId: null },
  };
}

/** Which of the checks that fire or escalate now are muted by a maintenance window; one read per team. */
async function findMutedChecks(
  trx: Knex,
  outcomes: readonly CheckOutcome[],
  nowMs: number,
): Promise<(checkKey: number) => boolean> {
  const firing = outcomes.filter(({ transitions }) =>
    transitions.some(({ kind }) => kind === "triggered" || kind === "escalated"),
  );
  const byTeam = new Map<TeamId, AlertCheckRow[]>();
  for (const { check } of firing) byTeam.set(check.teamId, [...(byTeam.get(check.teamId) ?? []), check]);
  const muted = new Set<CheckId>();
  for (const [teamId, checks] of byTeam) {
    const checkIds = checks.map(({ id }) => id);
    const held = await activeWindowsFor(trx, { teamId, checkIds, atMs: nowMs });
    for (const { checkId } of held) muted.add(checkId);
  }
  const keys = new Set(firing.filter(({ check }) => muted.has(check.id)).map(({ check }) => check.key));
  return (checkKey) => keys.has(checkKey);
}

async function findConfirmers(trx: Knex, outcomes: readonly CheckOutcome[]) {
  const results = outcomes.flatMap(({ transitions }) =>
    transitions.flatMap((transition) =>
      transition.kind === "triggered" ? (transition.confirmedBy ?? []) : [],
    ),
  );
  const runners = await readRunnerIds(trx, [...new Set(results.map(({ runnerKey }) => runnerKey))]);
  const locations =
    results.length > 0
      ? await readLocationNames(trx, [...new Set(results.map((r) => r.locationKey))])
      : new Map();
  return (checkKey: number, result: FreshResult) => ({
    resultId: resultIdOfFact(checkKey, result),
    locationId: locations.get(result.locationKey)?.id ?? "",
    runnerId: runners.get(result.runnerKey) ?? null,
  });
}

interface WantedConfirmation {
  check: AlertCheckRow;
  ruleKey: number;
  fresh: FreshResult;
}

/** Orders one run per check, from another of its locations or else from another runner, and puts down who waits for it. */
async function orderConfirmations(
  trx: Knex,
  wanted: readonly WantedConfirmation[],
  nowMs: number,
): Promise<void> {
  const runs = new Map<number, { slotMs: number; locationKey: number }>();
  const rows: ConfirmationRow[] = [];
  for (const { check, ruleKey, fresh } of wanted) {
    const others = check.locationKeys.filter((key) => key !== fresh.locationKey);
    // Another one each time, so that a location without a runner doesn't keep every alert back.
    const locationKey = others[Math.floor(fresh.slotMs / 1000) % others.length] ?? fresh.locationKey;
    const run = runs.get(check.key) ?? {
      slotMs: await dispatchRun(trx, {
        check,
        locationKeys: [locationKey],
        atMs: nowMs,
        reason: "confirmation",
        avoidRunnerKeys: [fresh.runnerKey],
      }),
      locationKey,
    };
    runs.set(check.key, run);
    rows.push({
      ...{ ruleKey, checkKey: check.key, slotMs: run.slotMs, locationKey: run.locationKey },
      ...{ firstSlotMs: fresh.slotMs, firstLocationKey: fresh.locationKey, firstRunnerKey: fresh.runnerKey },
      expiresAtMs: nowMs + CONFIRMATION_MS,
    });
  }
  await putConfirmations(trx, rows);
}
