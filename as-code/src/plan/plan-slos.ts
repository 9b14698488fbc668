import type { Slo } from "@svc/contract";
import type { DesiredSlo } from "../config/desired.ts";
import { isDescribable } from "../is-describable.ts";
import { compareResource, driftOfReplaced, planAbsent } from "./compare-resource.ts";
import { changedAt, remoteSloFields, sloFields } from "./compared-fields.ts";
import type { Indexes, LeftAlone, PlanInput, Prunable, SloChange } from "./planned-change.ts";

/** Plans the SLOs, by name. An SLO that changes its type or its third party is replaced. */
export function planSlos(
  input: PlanInput,
  indexes: Indexes,
): { changes: SloChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
  const { desired, remote } = input;
  const wanted = new Set(desired.slos.map(({ name }) => name));
  const planned = desired.slos.flatMap((slo) =>
    planSlo({ input, ...indexes }, slo, existingOf(slo, remote.slos)),
  );
  const absent = remote.slos.filter(({ name }) => !wanted.has(name));
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

/** Returns the SLO of the name, rather one of the same type: names of SLOs need not be unique. */
function existingOf(desired: DesiredSlo, slos: readonly Slo[]): Slo | undefined {
  const named = slos.filter(({ name }) => name === desired.name);
  return named.find(({ sloType }) => sloType === sloTypeOf(desired)) ?? named[0];
}

function sloTypeOf({ pattern }: DesiredSlo): Slo["sloType"] {
  return pattern === undefined ? "check" : "third_party";
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
  { input, channels, checks, patterns }: { input: PlanInput } & Indexes,
  desired: DesiredSlo,
  slo: Slo | undefined,
): SloChange[] {
  const { name } = desired;
  const create: SloChange = { kind: "slo", type: "create", name, remoteId: null, fieldChanges: [], desired };
  if (!slo) return [create];
  // Neither the type nor the third party can change.
  const isOfAnother =
    slo.sloType !== sloTypeOf(desired) ||
    (slo.patternId !== null &&
      (patterns.isDeleted(slo.patternId) || patterns.nameOf(slo.patternId) !== desired.pattern));
  if (isOfAnother) return replacedOf(slo, create, driftOfReplaced(input.state, "slo", slo));
  // The kind of SLI can't change, and an SLO is deleted with its check.
  const isGone = slo.checkId !== null && checks.isDeleted(slo.checkId);
  if (slo.sliType !== desired.sliType || isGone) {
    // An SLO of this name that was never deployed from here is adopted like any other.
    const isKnown = input.state.find("slo", slo.id) !== undefined;
    return replacedOf(slo, create, isKnown ? driftOfReplaced(input.state, "slo", slo) : undefined);
  }
  const step = compareResource(input, {
    kind: "slo",
    name,
    remoteId: slo.id,
    updatedAt: changedAt(slo),
    before: remoteSloFields(slo, {
      channel: channels.nameOf,
      check: checks.nameOf,
      pattern: patterns.nameOf,
    }),
    after: sloFields(desired),
    isForced: slo.channelIds.some(channels.isReplaced),
  });
  return [{ ...step, kind: "slo", desired }];
}

function replacedOf(
  { id, name }: Slo,
  create: SloChange,
  drift: ReturnType<typeof driftOfReplaced>,
): SloChange[] {
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
