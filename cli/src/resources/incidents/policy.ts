/** Reads and describes the incident policy. */
import type { Channel, IncidentPolicy, IncidentPolicyStep } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import type { Output } from "../../output/output.ts";
import { generalError } from "../../runtime/cli-error.ts";

const STEP = /^(\d{1,4})=(.+)$/;

/**
 * Returns the steps that were typed as `<minutes>=<channel>`, in the order of their minutes; equal minutes are one step.
 * @throws CliError when one is written otherwise, or a channel is not known
 */
export function stepsOf(typed: readonly string[], channels: readonly Channel[]): IncidentPolicyStep[] {
  const steps = new Map<number, Set<IncidentPolicyStep["channelIds"][number]>>();
  for (const text of typed) {
    const [, minutes, channel] = STEP.exec(text) ?? [];
    if (minutes === undefined || channel === undefined)
      throw generalError(
        `--step "${text}": expected <minutes>=<channel>`,
        'For example: --step "15=On call"',
      );
    const ids = steps.get(Number(minutes)) ?? new Set();
    steps.set(Number(minutes), ids.add(pickNamed("channel", channel, channels).id));
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([afterMinutes, ids]) => ({ afterMinutes, channelIds: [...ids] }));
}

/** Returns what prints the steps of a policy with the names of their channels. */
export function policyPrinter(
  { steps }: IncidentPolicy,
  channels: readonly Channel[],
): (out: Output) => void {
  const names = new Map<string, string>(channels.map(({ id, name }) => [id, name]));
  return (out) => {
    if (steps.length === 0) out.line("There is no incident policy.");
    for (const { afterMinutes, channelIds } of steps)
      out.line(
        `after ${afterMinutes} min: ${channelIds.map((id) => out.text(names.get(id) ?? id)).join(", ")}`,
      );
  };
}
