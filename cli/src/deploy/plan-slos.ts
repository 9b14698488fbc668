import type { Slo } from "@svc/contract";
import type { DesiredSlo } from "../config/desired.ts";
import { compareResource, driftOfReplaced, planAbsent } from "./compare-resource.ts";
import { changedAt, remoteSloFields, sloFields } from "./compared-fields.ts";
import { isDescribable } from "./is-describable.ts";
import type {
  ChannelIndex,
  CheckIndex,
  LeftAlone,
  PlanInput,
  Prunable,
  SloChange,
} from "./planned-change.ts";

interface Indexes {
  channels: ChannelIndex;
  checks: CheckIndex;
}

/** Plans the SLOs of checks, by name. SLOs of third parties can't be described by a config; they stay. */
export function planSlos(
  input: PlanInput,
  indexes: Indexes,
): { changes: SloChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
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
  const isCascading = ({ checkId }: Slo) =>
    !input.isPruning && checkId !== null && indexes.checks.isDeleted(checkId);
  const { deletions, prunable, leftAlone } = planAbsent(
    input,
    "slo",
    absent
      .filter((slo) => !isCascading(slo))
      .map((slo) => ({ resource: slo, reason: reasonToStay(input, slo) })),
  );
  const changes = [
    ...planned,
    ...deletions.map((step): SloChange => ({ ...step, kind: "slo" })),
    ...absent.filter(isCascading).map((slo) => cascadedOf(input, indexes, slo)),
  ];
  const plannedIds = new Set(changes.map(({ remoteId }) => remoteId));
  const others = remote.slos.filter(({ id }) => !plannedIds.has(id));
  return {
    changes: [...changes, ...others.flatMap((slo) => redirectedOf(indexes, slo))],
    prunable,
    leftAlone,
  };
}

/** Returns why no deploy deletes the SLO: pull leaves it out, since no config can describe its check. */
function reasonToStay({ remote }: PlanInput, { checkId }: Slo): string | undefined {
  const check = remote.checks.find(({ id }) => id === checkId);
  return check && !isDescribable(check)
    ? `it is of "${check.name}", which a config can't describe`
    : undefined;
}

/** Plans the deletion of an SLO beyond the config that goes with its check. */
function cascadedOf({ state }: PlanInput, { checks }: Indexes, slo: Slo): SloChange {
  const { id, name, checkId } = slo;
  return {
    kind: "slo",
    type: "delete",
    name,
    remoteId: id,
    fieldChanges: [],
    monitor: checks.nameOf(checkId ?? ""),
    ...driftOfReplaced(state, "slo", slo),
  };
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
  if (slo.sliType !== desired.sliType || isGone) return replacedOf(input, slo, create);
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

function replacedOf({ state }: PlanInput, slo: Slo, create: SloChange): SloChange[] {
  const { id, name } = slo;
  // An SLO of this name that was never deployed from here is adopted like any other.
  const drift = state.find("slo", id) ? driftOfReplaced(state, "slo", slo) : undefined;
  return [
    { kind: "slo", type: "delete", name, remoteId: id, fieldChanges: [], ...drift },
    { ...create, ...drift },
  ];
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
