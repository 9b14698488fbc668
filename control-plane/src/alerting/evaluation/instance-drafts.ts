/** Collects the changes that the transitions of a batch of checks make, before anything is written. No I/O. */
import { type CheckId, newId, type TeamId } from "@svc/contract";
import type { AlertNotification } from "../../outbox/payload.ts";
import type { BlamedTriggers } from "../holds/cut-off.ts";
import { mayComeFromDependency } from "../holds/may-come-from-dependency.ts";
import type { AlertCheck } from "../inputs/alert-check.ts";
import { type NewResult, publicResultId } from "../inputs/judged-result.ts";
import type { AlertEventRow } from "../instances/event-store.ts";
import { notificationOf } from "../instances/instance-notification.ts";
import type { InstanceRow } from "../instances/instance-writes.ts";
import type { WantedConfirmation } from "./confirmation-runs.ts";
import type { ConfirmingRun, EvaluatedSubject, OpenInstance, Transition } from "./transitions.ts";

/** The facts that decide how transitions become changes of instances. `nowMs`: Unix ms. */
export interface InstanceDraftsInput {
  nowMs: number;
  /** Checks that a maintenance window mutes now. */
  inMaintenance: ReadonlySet<CheckId>;
  /** Beginnings that are due to locations that can't reach their targets. */
  blamed: BlamedTriggers;
  confirmingRunOf(checkKey: number, result: NewResult): ConfirmingRun;
}

/** An instance while its transitions are applied to it. */
interface Draft extends InstanceRow {
  isNew: boolean;
}

type TransitionOf<Kind extends Transition["kind"]> = Extract<Transition, { kind: Kind }>;

/** A draft with the transition that is applied to it; without a check when the rule has none. */
interface DraftStep<Kind extends Transition["kind"]> {
  check: AlertCheck | null;
  draft: Draft;
  transition: TransitionOf<Kind>;
}

type NotifyingStep = DraftStep<"triggered"> | DraftStep<"escalated"> | DraftStep<"recovered">;

/**
 * Holds alert instances as they will be after the batch, with their events and notifications, until all are written at
 * once.
 */
export class InstanceDrafts {
  readonly events: AlertEventRow[] = [];
  readonly notifications: AlertNotification[] = [];
  /** Notifications that would have been sent of alerts that are held back because of a location, whose incident is opened instead. */
  readonly heldAtLocations: AlertNotification[] = [];
  /** Keys of rules whose pending confirmation ended. */
  readonly endedConfirmations = new Set<number>();
  /** Wanted confirmations by the key of their rule. */
  readonly wantedConfirmations = new Map<number, WantedConfirmation>();
  readonly #drafts = new Set<Draft>();
  readonly #input: InstanceDraftsInput;

  constructor(input: InstanceDraftsInput) {
    this.#input = input;
  }

  /** Stored instances that changed. */
  get changed(): InstanceRow[] {
    return rowsOf([...this.#drafts].filter(({ isNew }) => !isNew));
  }

  /** New instances. */
  get created(): InstanceRow[] {
    return rowsOf([...this.#drafts].filter(({ isNew }) => isNew));
  }

  /** Applies a check's transitions in their order. */
  add({ check, open, transitions }: EvaluatedSubject): void {
    const drafts = new Map<number, Draft>();
    for (const transition of transitions) {
      const { rule } = transition;
      const instance = open.find(({ ruleKey }) => ruleKey === rule.key);
      if (instance && !drafts.has(rule.key)) drafts.set(rule.key, draftOf(instance, rule.teamId));
      const draft = drafts.get(rule.key);
      switch (transition.kind) {
        case "triggered":
          drafts.set(rule.key, this.#trigger(check, transition));
          break;
        case "escalated":
          if (draft) this.#escalate({ check, draft, transition });
          break;
        case "recovered":
          if (draft) this.#recover({ check, draft, transition });
          break;
        case "confirmation_wanted":
          if (!check) break;
          this.wantedConfirmations.set(rule.key, {
            check,
            ruleKey: rule.key,
            failure: transition.newResult,
          });
          break;
        case "confirmation_over":
          if (!this.wantedConfirmations.delete(rule.key)) this.endedConfirmations.add(rule.key);
          break;
      }
    }
  }

  #trigger(check: AlertCheck | null, transition: TransitionOf<"triggered">): Draft {
    const { rule, severity, newResult, confirmedBy } = transition;
    const isMuted = this.#isInMaintenance(check);
    const heldAtKeys = this.#input.blamed.has(transition) ? transition.unreachedFrom : [];
    const isHeld =
      heldAtKeys.length > 0 || (check?.hasDependencies === true && mayComeFromDependency(rule.conditions));
    const context =
      check && confirmedBy
        ? { ...transition.context, confirmedBy: this.#input.confirmingRunOf(check.key, confirmedBy) }
        : transition.context;
    const draft: Draft = {
      id: newId("alertInstance"),
      teamId: rule.teamId,
      ruleKey: rule.key,
      checkKey: check?.key ?? null,
      isNew: true,
      state: "active",
      severity,
      context,
      startedAtMs: this.#input.nowMs,
      recoveredAtMs: null,
      triggeringResultId: check && newResult ? publicResultId(check.key, newResult) : null,
      triggeringTraceId: newResult?.traceId ?? null,
      recoveryResultId: null,
      mutedBy: isMuted ? "window" : null,
      isHeld,
      heldAtKeys,
      wasAnnounced: !isMuted && !isHeld,
      hasUnannouncedEscalation: false,
    };
    this.#drafts.add(draft);
    this.#recordEvent(draft, "triggered");
    if (isMuted) this.#recordEvent(draft, "muted", { by: "window" });
    if (isHeld)
      this.#recordEvent(draft, "held", { reason: heldAtKeys.length > 0 ? "location" : "dependency" });
    if (draft.wasAnnounced) this.#notify({ check, draft, transition });
    if (heldAtKeys.length > 0 && !isMuted)
      this.heldAtLocations.push(this.#notificationOf({ check, draft, transition }));
    return draft;
  }

  #escalate(step: DraftStep<"escalated">): void {
    const { check, draft, transition } = step;
    const from = draft.severity;
    draft.severity = transition.severity;
    draft.context = transition.context;
    this.#recordEvent(draft, "escalated", { from, to: transition.severity });
    if (draft.mutedBy === null && this.#isInMaintenance(check)) {
      draft.mutedBy = "window";
      this.#recordEvent(draft, "muted", { by: "window" });
    }
    if (draft.mutedBy === null && !draft.isHeld) this.#notify(step);
    // An instance whose trigger was not announced is announced as a whole when its mute, or its hold, ends.
    else draft.hasUnannouncedEscalation = draft.wasAnnounced;
    this.#drafts.add(draft);
  }

  #recover(step: DraftStep<"recovered">): void {
    const { check, draft, transition } = step;
    draft.state = "recovered";
    draft.recoveredAtMs = this.#input.nowMs;
    const { newResult } = transition;
    draft.recoveryResultId = check && newResult ? publicResultId(check.key, newResult) : null;
    this.#recordEvent(draft, "recovered");
    // Whoever was notified of the trigger is notified of the end, muted meanwhile or not: a page must not stay open.
    if (draft.wasAnnounced) this.#notify(step);
    this.#drafts.add(draft);
  }

  #isInMaintenance(check: AlertCheck | null): boolean {
    return check !== null && this.#input.inMaintenance.has(check.id);
  }

  #recordEvent(draft: Draft, type: AlertEventRow["type"], detail?: Record<string, unknown>): void {
    const { teamId, id: instanceId, checkKey, state, severity, context } = draft;
    this.events.push({
      teamId,
      instanceId,
      checkKey,
      type,
      state,
      severity,
      actorId: null,
      detail: { summary: context.summary, ...detail },
      createdAtMs: this.#input.nowMs,
    });
  }

  #notify(step: NotifyingStep): void {
    this.notifications.push(this.#notificationOf(step));
  }

  #notificationOf({ check, draft, transition }: NotifyingStep): AlertNotification {
    const { kind, rule } = transition;
    return notificationOf({ kind, check, instance: draft, rule, atMs: this.#input.nowMs });
  }
}

function draftOf(instance: OpenInstance, teamId: TeamId): Draft {
  return {
    ...instance,
    teamId,
    isNew: false,
    heldAtKeys: [],
    recoveredAtMs: null,
    recoveryResultId: null,
    triggeringResultId: null,
  };
}

function rowsOf(drafts: readonly Draft[]): InstanceRow[] {
  return drafts.map(({ isNew: _, ...row }) => row);
}
