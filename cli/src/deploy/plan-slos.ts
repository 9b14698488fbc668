import type { Slo } from "@svc/contract";
import type { DesiredSlo } from "../config/desired.ts";
import { changedAt, remoteSloFields, sloFields } from "./compared-fields.ts";
import { absent, type Change, comparison, type PlanContext } from "./planned-change.ts";

/** SLOs of checks, by name. Those of third parties no config can describe; they stay. */
export function planSlos(context: PlanContext): Change[] {
  const { desired, remote } = context;
  const existing = remote.slos.filter(({ sloType }) => sloType === "check");
  const wanted = new Set(desired.slos.map(({ name }) => name));
  const own = desired.slos.flatMap((slo) =>
    planSlo(
      context,
      slo,
      existing.find(({ name }) => name === slo.name),
    ),
  );
  const extra = existing.filter(({ name }) => !wanted.has(name));
  const pruned = extra.flatMap((slo) =>
    absent(context, {
      kind: "slo",
      name: slo.name,
      remoteId: slo.id,
      updatedAt: changedAt(slo),
      work: { kind: "slo" },
    }),
  );
  const planned = new Set([...own, ...pruned].map(({ remoteId }) => remoteId));
  const others = remote.slos.filter(({ id }) => !planned.has(id));
  return [...own, ...pruned, ...others.flatMap((slo) => repointed(context, slo))];
}

function planSlo(context: PlanContext, desired: DesiredSlo, slo: Slo | undefined): Change[] {
  const base = { kind: "slo" as const, name: desired.name, fieldChanges: [] };
  const work = { kind: "slo" as const, desired };
  const create: Change = { ...base, type: "create", remoteId: null, work };
  if (!slo) return [create];
  // The kind of SLI can't change, and an SLO goes with its check.
  const isGone = slo.checkId !== null && context.deletedChecks.has(slo.checkId);
  if (slo.sliType !== desired.sliType || isGone)
    return [{ ...base, type: "delete", remoteId: slo.id, work: { kind: "slo" } }, create];
  return [
    comparison(context, {
      kind: "slo",
      name: desired.name,
      remoteId: slo.id,
      updatedAt: changedAt(slo),
      work,
      before: remoteSloFields(slo, { channel: context.channelName, check: context.checkName }),
      after: sloFields(desired),
      isForced: slo.channelIds.some((id) => context.replacedChannels.has(id)),
    }),
  ];
}

/** An SLO beyond the config that tells a channel which is made anew: it shall tell the new one. */
function repointed({ replacedChannels }: PlanContext, slo: Slo): Change[] {
  if (!slo.channelIds.some((id) => replacedChannels.has(id))) return [];
  return [
    {
      type: "update",
      kind: "slo",
      name: slo.name,
      remoteId: slo.id,
      fieldChanges: [],
      work: { kind: "slo", channelIds: slo.channelIds },
    },
  ];
}
