import type { Slo, ThirdPartyPattern } from "@svc/contract";
import type { DesiredPattern } from "../config/desired.ts";
import { compareResource, driftOfReplaced, planAbsent } from "./compare-resource.ts";
import { changedAt, patternFields } from "./compared-fields.ts";
import { fieldChanges } from "./field-changes.ts";
import { PlanError } from "./plan-error.ts";
import type { LeftAlone, PatternChange, PatternIndex, PlanInput, Prunable } from "./planned-change.ts";

/**
 * Plans the third-party patterns, by name. A pattern of another host is replaced, because requests are counted by
 * pattern: its SLOs are deleted and created again with it.
 * @throws PlanError when an SLO that stays refers to a pattern that would be replaced
 */
export function planPatterns(input: PlanInput): {
  changes: PatternChange[];
  prunable: Prunable[];
  leftAlone: LeftAlone[];
  index: PatternIndex;
} {
  const { desired, remote } = input;
  const planned = desired.patterns.flatMap((pattern) =>
    planPattern(
      input,
      pattern,
      remote.patterns.find(({ name }) => name === pattern.name),
    ),
  );
  const wanted = new Set(desired.patterns.map(({ name }) => name));
  const absent = remote.patterns
    .filter(({ name }) => !wanted.has(name))
    .map((pattern) => ({ resource: pattern, reason: reasonToStay(input, pattern) }));
  const { deletions, prunable, leftAlone } = planAbsent(input, "third_party_pattern", absent);
  const changes = [
    ...planned,
    ...deletions.map((step): PatternChange => ({ ...step, kind: "third_party_pattern" })),
  ];
  const deletedIds = new Set(changes.filter(({ type }) => type === "delete").map(({ remoteId }) => remoteId));
  return {
    changes,
    prunable,
    leftAlone,
    index: {
      nameOf: (id) => remote.patterns.find((pattern) => pattern.id === id)?.name ?? id,
      isDeleted: (id) => deletedIds.has(id),
    },
  };
}

function planPattern(
  input: PlanInput,
  desired: DesiredPattern,
  existing: ThirdPartyPattern | undefined,
): PatternChange[] {
  const { name } = desired;
  const create: PatternChange = {
    kind: "third_party_pattern",
    type: "create",
    name,
    remoteId: null,
    fieldChanges: [],
    desired,
  };
  if (!existing) return [create];
  const sides = { before: patternFields(existing), after: patternFields(desired) };
  if (existing.hostPattern !== desired.hostPattern) {
    assertReplaceable(input, existing);
    const drift = driftOfReplaced(input.state, "third_party_pattern", existing);
    const changedFields = fieldChanges({ kind: "third_party_pattern", ...sides, secrets: input.secrets });
    return [
      {
        kind: "third_party_pattern",
        type: "delete",
        name,
        remoteId: existing.id,
        fieldChanges: [],
        ...drift,
      },
      { ...create, fieldChanges: changedFields, ...drift },
    ];
  }
  const step = compareResource(input, {
    kind: "third_party_pattern",
    name,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    ...sides,
  });
  return [{ ...step, kind: "third_party_pattern", desired }];
}

/** @throws PlanError when an SLO that this deploy neither replaces nor deletes refers to the pattern */
function assertReplaceable(
  { desired, remote, state, isPruning }: PlanInput,
  pattern: ThirdPartyPattern,
): void {
  const wanted = new Set(desired.slos.map(({ name }) => name));
  const isDeleted = ({ id }: Slo) => isPruning && state.otherProjectOf(id) === undefined;
  const slo = remote.slos.find(
    (one) => one.patternId === pattern.id && !wanted.has(one.name) && !isDeleted(one),
  );
  if (!slo) return;
  throw new PlanError(
    `the third-party pattern "${pattern.name}" can't become another host: the SLO "${slo.name}", which is not in the config, is of it`,
    "Give the new host a pattern of another name, or delete that SLO first: svc slos delete",
  );
}

/** Returns why no deploy deletes the pattern: another project's SLO refers to it, and the service would refuse. */
function reasonToStay({ remote, state }: PlanInput, { id }: ThirdPartyPattern): string | undefined {
  const slo = remote.slos.find((one) => one.patternId === id && state.otherProjectOf(one.id) !== undefined);
  return slo && `the SLO "${slo.name}", which deploys leave alone, is of it`;
}
