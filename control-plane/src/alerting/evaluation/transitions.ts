/** What the evaluation of a check leads to: decided in evaluate-check.ts, written in write-transitions.ts. */
import type { AlertState, Condition, Severity, TeamId } from "@svc/contract";
import type { FreshResult } from "../conditions/condition-input.ts";

/** A rule as the evaluation knows it. */
export interface EvaluatedRule {
  key: number;
  id: string;
  checkKey: number;
  teamId: TeamId;
  name: string | null;
  conditions: readonly Condition[];
  channelIds: readonly string[];
  confirm: boolean;
  /** Successes in a row that each location needs which had failed. */
  recoverySuccesses: number;
}

/** An instance that is active or acknowledged. */
export interface OpenInstance {
  id: string;
  ruleKey: number;
  checkKey: number;
  state: Extract<AlertState, "active" | "acknowledged">;
  severity: Severity;
  startedAtMs: number;
  /** Its trigger was told, so its end is told, too. */
  wasAnnounced: boolean;
  mutedBy: "user" | "window" | null;
  /** Its severity rose while it was muted. */
  hasUntoldEscalation: boolean;
  triggeringTraceId: string | null;
  context: AlertContext;
}

/** A failure that a second run shall confirm before it pages. */
export interface Confirmation {
  ruleKey: number;
  checkKey: number;
  /** The run that was ordered. */
  slotMs: number;
  locationKey: number;
  /** The failure that it is about. */
  firstSlotMs: number;
  firstLocationKey: number;
  firstRunnerKey: number;
  expiresAtMs: number;
}

/** contextJson of an instance. */
export interface AlertContext {
  /** One line: what is wrong. */
  summary: string;
  /** One entry per condition of the rule. */
  conditions: readonly ConditionContext[];
  /** Names of the locations that show it. */
  locations: readonly string[];
  errorMessage?: string;
  httpStatusCode?: number;
  /** Who ran the check again and saw it fail, too. */
  confirmedBy?: { resultId: string; locationId: string; runnerId: string | null };
}

export interface ConditionContext {
  type: Condition["type"];
  threshold: unknown;
  observed: unknown;
  resultIds: readonly string[];
}

export type Transition =
  | {
      kind: "triggered";
      rule: EvaluatedRule;
      severity: Severity;
      context: AlertContext;
      /** The result that made it fire; undefined: time did. */
      fresh: FreshResult | undefined;
      /** The result that confirmed it. */
      confirmedBy: FreshResult | undefined;
    }
  | {
      kind: "escalated";
      rule: EvaluatedRule;
      severity: Severity;
      context: AlertContext;
      fresh: FreshResult | undefined;
    }
  | { kind: "recovered"; rule: EvaluatedRule; fresh: FreshResult }
  | { kind: "confirmation_wanted"; rule: EvaluatedRule; fresh: FreshResult }
  | { kind: "confirmation_over"; rule: EvaluatedRule };

const RANK: Record<Severity, number> = { critical: 2, warning: 1, info: 0 };

export function isWorse(a: Severity, b: Severity): boolean {
  return RANK[a] > RANK[b];
}

export function worstOf(severities: readonly Severity[]): Severity {
  return severities.reduce((worst, severity) => (isWorse(severity, worst) ? severity : worst), "info");
}
