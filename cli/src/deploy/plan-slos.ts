import type { Slo } from "@svc/contract";
import type { DesiredSlo } from "../config/desired.ts";
import { compareResource, planAbsent } from "./compare-resource.ts";
import { changedAt, remoteSloFields, sloFields } from "./compared-fields.ts";
import type { ChannelIndex, CheckIndex, PlanInput, Prunable, SloChange } from "./planned-change.ts";

interface Indexes {
  channels: ChannelIndex;
  checks: CheckIndex;
}

/** Plans the SLOs of checks, by name. SLOs of third parties can't be described by a config; they stay. */
export function planSlos(input: PlanInput, indexes: Indexes): { changes: SloChange[]; prunable: Prunable[] } {
  const { desired, remote } = input;
  const ofChecks = remote.slos.filter(({ sloType }) => sloType === "check");
  const wanted = new Set(desired.slos.map(({ name }) => name));
  const planned = desired.slos.flatMap((slo) =>
    planSlo(
      { input, ...indexes },
      slo,
      ofChecks.find(({ name }) => name === slo.name),
    ),
  );
  const absent = ofChecks.filter(({ name }) => !wanted.has(name));
  const { deletions, prunable } = planAbsent(input, "slo", absent);
  const changes = [...planned, ...deletions.map((step): SloChange => ({ ...step, kind: "slo" }))];
  const plannedIds = new Set(changes.map(({ remoteId }) => remoteId));
  const others = remote.slos.filter(({ id }) => !plannedIds.has(id));
  return { changes: [...changes, ...others.flatMap((slo) => redirectedOf(indexes, slo))], prunable };
}

function planSlo(
  { input, channels, checks }: { input: PlanInput } & Indexes,
  desired: DesiredSlo,
  slo: Slo | undefined,
): SloChange[] {
  const { name } = desired;
  const create: SloChange = { kind: "slo", type: "create", name, remoteId: null, fieldChanges: [], desired };
  if (!slo) return [create];
  // The kind of SLI can't change, and an SLO is deleted with its check.
  const isGone = slo.checkId !== null && checks.isDeleted(slo.checkId);
  if (slo.sliType !== desired.sliType || isGone)
    return [{ kind: "slo", type: "delete", name, remoteId: slo.id, fieldChanges: [] }, create];
  const step = compareResource(input, {
    kind: "slo",
    name,
    remoteId: slo.id,
    updatedAt: changedAt(slo),
    before: remoteSloFields(slo, { channel: channels.nameOf, check: checks.nameOf }),
    after: sloFields(desired),
    isForced: slo.channelIds.some(channels.isReplaced),
  });
  return [{ ...step, kind: "slo", desired }];
}

/** Plans that an SLO beyond the config, which notifies a replaced channel, notifies the new one. */
function redirectedOf({ channels }: Indexes, slo: Slo): SloChange[] {
  if (!slo.channelIds.some(channels.isReplaced)) return [];
  return [
    {
      kind: "slo",
      type: "update",
      name: slo.name,
      remoteId: slo.id,
      fieldChanges: [],
      channelIds: slo.channelIds,
    },
  ];
}
