/** Reads and describes the incident policy. */
import type { Channel, IncidentPolicy, IncidentPolicyStep, Rota } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import type { Output } from "../../output/output.ts";
import { generalError } from "../../runtime/cli-error.ts";

const STEP = /^(\d{1,4})=(.+)$/;

const ROTA = /^rota:(.+)$/;

/** Whom steps may name. */
export interface PolicyNames {
  channels: readonly Channel[];
  rotas: readonly Rota[];
}

/**
 * Returns the steps that were typed as `<minutes>=<channel>` or `<minutes>=rota:<rota>`, in the order of their minutes; equal minutes
 * are one step.
 * @throws CliError when one is written otherwise, a channel or rota is not known, or a step names two rotas
 */
export function stepsOf(typed: readonly string[], { channels, rotas }: PolicyNames): IncidentPolicyStep[] {
  const steps = new Map<number, IncidentPolicyStep>();
  for (const text of typed) {
    const [, minutes, channel] = STEP.exec(text) ?? [];
    if (minutes === undefined || channel === undefined)
      throw generalError(
        `--step "${text}": expected <minutes>=<channel> or <minutes>=rota:<rota>`,
        'For example: --step "15=Team chat" --step "30=rota:On call"',
      );
    const afterMinutes = Number(minutes);
    const step = steps.get(afterMinutes) ?? { afterMinutes, channelIds: [] };
    steps.set(afterMinutes, step);
    const [, rota] = ROTA.exec(channel) ?? [];
    if (rota === undefined) {
      const { id } = pickNamed("channel", channel, channels);
      if (!step.channelIds.includes(id)) step.channelIds.push(id);
      continue;
    }
    const { id } = pickNamed("rota", rota, rotas);
    if (step.rotaId !== undefined && step.rotaId !== id)
      throw generalError(`--step "${text}": the step after ${minutes} min names another rota already`);
    step.rotaId = id;
  }
  return [...steps.values()].sort((a, b) => a.afterMinutes - b.afterMinutes);
}

/** Returns what prints the steps of a policy with the names of their channels and rotas. */
export function policyPrinter(
  { steps }: IncidentPolicy,
  { channels, rotas }: PolicyNames,
): (out: Output) => void {
  const names = new Map<string, string>(channels.map(({ id, name }) => [id, name]));
  const onDuty = new Map<string, string>(
    rotas.map(({ id, name, onDuty: { member } }) => [id, `${name} (on duty now: ${member})`]),
  );
  return (out) => {
    if (steps.length === 0) out.line("There is no incident policy.");
    for (const { afterMinutes, channelIds, rotaId } of steps) {
      const notified = channelIds.map((id) => names.get(id) ?? id);
      if (rotaId !== undefined) notified.push(`rota ${onDuty.get(rotaId) ?? rotaId}`);
      out.line(`after ${afterMinutes} min: ${notified.map((one) => out.text(one)).join(", ")}`);
    }
  };
}
