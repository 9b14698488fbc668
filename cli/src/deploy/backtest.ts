/** Preview over the last days of the alert rules that a deploy creates or changes: `svc diff --backtest`. */

import type { Plan, Remote } from "@svc/as-code/plan";
import { type AlertPreview, type ApiClient, type Condition, counted, hasPolicyLabels } from "@svc/contract";
import type { Output } from "../output/output.ts";
import { lengthText } from "../output/times.ts";
import { generalError } from "../runtime/cli-error.ts";

/** Monitors of an alert policy whose results are judged: each takes the service up to a second. */
const POLICY_MONITORS_MAX = 20;

/** How often a rule would have fired, and for how long in all. */
type Figures = Pick<AlertPreview, "count" | "durationMs" | "unconfirmed" | "notReplayable">;

/** A rule that the deploy creates or changes, and what it would have done. */
export interface BacktestedRule {
  name: string;
  monitor: string;
  range: string;
  /** null: the deploy creates the monitor, so that there are no results yet. */
  after: Figures | null;
  /** As the rule is now; absent: the deploy creates it. */
  before?: Figures;
}

/** Fields of a rule that decide when it fires. */
interface JudgedRule {
  conditions: readonly Condition[];
  confirm: boolean;
  recovery: { consecutiveSuccesses: number };
}

/**
 * Asks the service about each rule that is created or changed, one after another.
 * @param range days, `1d` to `30d`
 * @throws CliError for another range; ApiError and what fetch throws
 */
export async function backtest(
  { api, plan, remote, out }: { api: ApiClient; plan: Plan; remote: Remote; out: Output },
  range: string,
): Promise<BacktestedRule[]> {
  if (!/^([1-9]|[12]\d|30)d$/.test(range))
    throw generalError(`--backtest ${range}: expected a number of days from 1d to 30d`);
  const rules: BacktestedRule[] = [];
  for (const { name, monitor, after, before } of judgedRules(plan, remote)) {
    out.progress(`judging the last ${range} by ${name}`);
    const checkId = checkIdOf(plan, remote, monitor);
    const figuresOf = async (rule: JudgedRule) =>
      figures(await api.previewAlertRule(checkId as string, rule, range));
    rules.push({
      name,
      monitor,
      range,
      after: checkId === null ? null : await figuresOf(after),
      ...(before && checkId !== null && { before: await figuresOf(before) }),
    });
  }
  return rules;
}

/** A rule to judge by: one that is written for a monitor, or that an alert policy gives to it. */
interface RuleToJudge {
  name: string;
  monitor: string;
  after: JudgedRule;
  before?: JudgedRule | undefined;
}

/** Returns the rules that are created or changed; those of an alert policy for its first monitors. */
function judgedRules({ changes }: Plan, remote: Remote): RuleToJudge[] {
  return changes.flatMap((change): RuleToJudge[] => {
    if (change.type !== "create" && change.type !== "update") return [];
    if (change.kind === "alert" && change.desired) {
      const before = remote.alerts.find(({ id }) => id === change.remoteId);
      return [{ name: change.name, monitor: change.monitor, after: change.desired, before }];
    }
    if (change.kind !== "alert_policy" || !change.desired) return [];
    const { name, desired: after, remoteId } = change;
    const policy = remote.policies.find(({ id }) => id === remoteId);
    return change.monitors.slice(0, POLICY_MONITORS_MAX).map((monitor) => {
      const check = remote.checks.find((one) => one.name === monitor);
      const held = policy?.enabled && check && hasPolicyLabels(policy.labels, remote.labels[check.id] ?? []);
      return { name: `${monitor} / ${name}`, monitor, after, before: held ? policy : undefined };
    });
  });
}

/** Prints a line for each rule. */
export function printBacktest(out: Output, rules: readonly BacktestedRule[]): void {
  for (const { name, range, after, before } of rules) {
    const text = after ? `would have fired ${figuresText(after)}` : "its monitor has no results yet";
    const now = before ? `, as it is now ${figuresText(before)}` : "";
    out.line(`Last ${range}: ${out.text(name)} ${text}${now}`);
    for (const { type, reason } of after?.notReplayable ?? [])
      out.line(`  ${type} is not counted: ${out.text(reason)}`);
    if (after && after.unconfirmed > 0)
      out.line(
        `  ${counted(after.unconfirmed, "failure")} more would have been confirmed by a second run first`,
      );
  }
  if (rules.length === 0) out.line("No alert rule would be created or changed.");
}

/** Returns the check of a monitor of the config, or of the service's others; null when the deploy creates it. */
function checkIdOf({ changes }: Plan, { checks }: Remote, monitor: string): string | null {
  const planned = changes.filter(({ kind, name }) => kind === "check" && name === monitor);
  if (planned.length > 0) return planned.find(({ remoteId }) => remoteId !== null)?.remoteId ?? null;
  return checks.find(({ name }) => name === monitor)?.id ?? null;
}

function figures({ count, durationMs, unconfirmed, notReplayable }: AlertPreview): Figures {
  return { count, durationMs, unconfirmed, notReplayable };
}

function figuresText({ count, durationMs, notReplayable }: Figures): string {
  const atMost = notReplayable.length > 0 ? "at most " : "";
  return count === 0 ? "never" : `${atMost}${counted(count, "time")}, ${lengthText(durationMs)} in all`;
}
