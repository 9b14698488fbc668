/** What the alert rules that a deploy creates or changes would have done over the last days: `svc diff --backtest`. */
import { type AlertPreview, type ApiClient, type Condition, counted } from "@svc/contract";
import type { Output } from "../output/output.ts";
import { lengthText } from "../output/times.ts";
import { generalError } from "../runtime/cli-error.ts";
import type { Remote } from "./fetch-remote.ts";
import type { AlertChange, Plan } from "./planned-change.ts";

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
  for (const change of plan.changes) {
    if (change.kind !== "alert" || !change.desired) continue;
    if (change.type !== "create" && change.type !== "update") continue;
    out.progress(`judging the last ${range} by ${change.name}`);
    const checkId = checkIdOf(plan, change);
    const figuresOf = async (rule: JudgedRule) =>
      figures(await api.previewAlertRule(checkId as string, rule, range));
    const stored = remote.alerts.find(({ id }) => id === change.remoteId);
    rules.push({
      name: change.name,
      monitor: change.monitor,
      range,
      after: checkId === null ? null : await figuresOf(change.desired),
      ...(stored && checkId !== null && { before: await figuresOf(stored) }),
    });
  }
  return rules;
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

function checkIdOf({ changes }: Plan, { monitor }: AlertChange): string | null {
  const isCheck = changes.find(
    ({ kind, name, remoteId }) => kind === "check" && name === monitor && remoteId !== null,
  );
  return isCheck?.remoteId ?? null;
}

function figures({ count, durationMs, unconfirmed, notReplayable }: AlertPreview): Figures {
  return { count, durationMs, unconfirmed, notReplayable };
}

function figuresText({ count, durationMs, notReplayable }: Figures): string {
  const atMost = notReplayable.length > 0 ? "at most " : "";
  return count === 0 ? "never" : `${atMost}${counted(count, "time")}, ${lengthText(durationMs)} in all`;
}
