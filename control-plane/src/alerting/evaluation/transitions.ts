/** Rules and instances as the evaluation sees them, and the transitions that it decides. */
import type {
  AlertInstanceId,
  AlertRuleId,
  AlertState,
  ChannelId,
  Condition,
  LocationId,
  ResultId,
  RunnerId,
  Severity,
  TeamId,
} from "@svc/contract";
import type { AlertCheck } from "../inputs/alert-check.ts";
import type { NewResult } from "../inputs/judged-result.ts";

/** A rule as the evaluation knows it. */
export interface EvaluatedRule {
  key: number;
  id: AlertRuleId;
  /** null: the rule of an SLO that is about a third-party pattern. */
  checkKey: number | null;
  teamId: TeamId;
  name: string | null;
  conditions: readonly Condition[];
  channelIds: readonly ChannelId[];
  confirm: boolean;
  /** Successes in a row that each location needs which had failed. */
  recoverySuccesses: number;
}

/** Causes that mute an instance: somebody's request, or a maintenance window of its check. */
export type MutedBy = "user" | "window";

/** An instance that is active or acknowledged. */
export interface OpenInstance {
  id: AlertInstanceId;
  ruleKey: number;
  /** null: of a rule without a check. */
  checkKey: number | null;
  state: Extract<AlertState, "active" | "acknowledged">;
  severity: Severity;
  startedAtMs: number;
  /** True when channels were notified of its trigger, so that they are notified of its end, too. */
  wasAnnounced: boolean;
  mutedBy: MutedBy | null;
  /** True while nobody is notified of it because it may be the alert of something that the check depends on. */
  isHeld: boolean;
  /** True when its severity rose while it was muted, after its trigger was announced. */
  hasUnannouncedEscalation: boolean;
  triggeringTraceId: string | null;
  context: AlertContext;
}

/** A failure that waits for a second run to confirm it before the rule fires. */
export interface Confirmation {
  ruleKey: number;
  checkKey: number;
  /** Slot and location of the run that was dispatched to confirm. */
  slotMs: number;
  locationKey: number;
  /** Slot, location and runner of the failure. */
  firstSlotMs: number;
  firstLocationKey: number;
  firstRunnerKey: number;
  expiresAtMs: number;
}

/** Content of an instance's `contextJson`: why the rule fired. */
export interface AlertContext {
  /** One line for people. */
  summary: string;
  /** One entry per condition of the rule. */
  conditions: readonly ConditionContext[];
  /** Names of the locations that show it. */
  locations: readonly string[];
  errorMessage?: string;
  httpStatusCode?: number;
  /** The second run that failed, too. */
  confirmedBy?: ConfirmingRun;
}

/** The run that confirmed a failure. `locationId` is empty and `runnerId` null where they are unknown. */
export interface ConfirmingRun {
  resultId: ResultId;
  locationId: LocationId | "";
  runnerId: RunnerId | null;
}

interface ConditionContext {
  type: Condition["type"];
  threshold: unknown;
  observed: unknown;
  resultIds: readonly ResultId[];
}

/** A decision about one rule. The kinds are values of the metric `svc_alert_transitions_total`. */
export type Transition =
  | {
      kind: "triggered";
      rule: EvaluatedRule;
      severity: Severity;
      context: AlertContext;
      /** The result that made the rule fire; undefined: time did. */
      newResult: NewResult | undefined;
      /** The result that confirmed the failure; undefined: the rule asks for no confirmation. */
      confirmedBy: NewResult | undefined;
      /**
       * Keys of all locations that show it or where the check failed at that moment, if its runs don't get through to the target; empty:
       * a location is not the reason.
       */
      unreachedFrom: readonly number[];
    }
  | { kind: "escalated"; rule: EvaluatedRule; severity: Severity; context: AlertContext }
  | {
      kind: "recovered";
      rule: EvaluatedRule;
      /** The result that shows the recovery; undefined: of a rule without a check. */
      newResult: NewResult | undefined;
    }
  | { kind: "confirmation_wanted"; rule: EvaluatedRule; newResult: NewResult }
  | { kind: "confirmation_over"; rule: EvaluatedRule };

/** A check, or an SLO without one, whose evaluation led to transitions. */
export interface EvaluatedSubject {
  /** null: the rules are those of an SLO that is about a third-party pattern. */
  check: AlertCheck | null;
  open: readonly OpenInstance[];
  /** Transitions, oldest first. */
  transitions: readonly Transition[];
}
