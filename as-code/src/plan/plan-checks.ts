import type { Check } from "@svc/contract";
import type { DesiredMonitor } from "../config/desired.ts";
import { isDescribable } from "../is-describable.ts";
import { compareResource, driftOfReplaced, planAbsent } from "./compare-resource.ts";
import { changedAt, checkFields, monitorFields } from "./compared-fields.ts";
import { areEqual } from "./field-changes.ts";
import { matchChecks } from "./match-checks.ts";
import { planLocations } from "./plan-locations.ts";
import type {
  CheckChange,
  CheckIndex,
  LeftAlone,
  LocationNotice,
  PlanInput,
  Prunable,
} from "./planned-change.ts";

/**
 * Plans the checks.
 * @throws PlanError for locations that can't be used, and for monitors whose check is ambiguous
 */
export function planChecks(input: PlanInput): {
  changes: CheckChange[];
  prunable: Prunable[];
  leftAlone: LeftAlone[];
  locationNotices: LocationNotice[];
  index: CheckIndex;
} {
  const { desired, remote } = input;
  const checkByMonitor = matchChecks(input);
  const locationNotices = planLocations(input, checkByMonitor);
  const matchedIds = new Set([...checkByMonitor.values()].map(({ id }) => id));
  const absent = remote.checks.filter((check) => !matchedIds.has(check.id));
  const { deletions, prunable, leftAlone } = planAbsent(
    input,
    "check",
    absent.map((check) => ({
      resource: check,
      reason: isDescribable(check) ? undefined : "a config can't describe it",
    })),
  );
  const typeById = new Map<string, Check["type"]>(absent.map(({ id, type }) => [id, type]));
  const changes = [
    ...desired.monitors.flatMap((monitor) => planMonitor(input, monitor, checkByMonitor.get(monitor.name))),
    ...deletions.flatMap((step): CheckChange[] => {
      const checkType = typeById.get(step.remoteId);
      return checkType ? [{ ...step, kind: "check", checkType, sendsCheck: false, sendsLabels: false }] : [];
    }),
  ];
  return { changes, prunable, leftAlone, locationNotices, index: indexOf(input, checkByMonitor, changes) };
}

function planMonitor(input: PlanInput, desired: DesiredMonitor, check: Check | undefined): CheckChange[] {
  const { name, type } = desired;
  const create: CheckChange = {
    kind: "check",
    checkType: type,
    type: "create",
    name,
    remoteId: null,
    fieldChanges: [],
    desired,
    sendsCheck: true,
    sendsLabels: (desired.labels ?? []).length > 0,
  };
  if (!check) return [create];
  if (check.type !== type) {
    const drift = driftOfReplaced(input.state, "check", check);
    return [
      { ...deletionOf(check, name), ...drift },
      { ...create, ...drift },
    ];
  }
  const labels = desired.labels && (input.remote.labels[check.id] ?? []);
  const before = checkFields(check, labels);
  const after = monitorFields(desired);
  const step = compareResource(input, {
    kind: "check",
    name,
    remoteId: check.id,
    updatedAt: changedAt(check),
    labels,
    before,
    after,
  });
  return [
    {
      ...step,
      kind: "check",
      checkType: type,
      desired,
      sendsCheck: !areEqual({ ...before, labels: 0 }, { ...after, labels: 0 }),
      sendsLabels: labels !== undefined && !areEqual({ labels: before.labels }, { labels: after.labels }),
    },
  ];
}

function deletionOf(check: Check, name: string): CheckChange {
  return {
    kind: "check",
    checkType: check.type,
    type: "delete",
    name,
    remoteId: check.id,
    fieldChanges: [],
    sendsCheck: false,
    sendsLabels: false,
  };
}

function indexOf(
  { remote }: PlanInput,
  checkByMonitor: ReadonlyMap<string, Check>,
  changes: readonly CheckChange[],
): CheckIndex {
  const deletedIds = new Set(changes.filter(({ type }) => type === "delete").map(({ remoteId }) => remoteId));
  const staying = [...checkByMonitor].filter(([, { id }]) => !deletedIds.has(id));
  const monitorById = new Map<string, string>(staying.map(([monitor, { id }]) => [id, monitor]));
  const idByMonitor = new Map(staying.map(([monitor, { id }]) => [monitor, id]));
  const remoteNameById = new Map<string, string>(remote.checks.map(({ id, name }) => [id, name]));
  return {
    nameOf: (id) => monitorById.get(id) ?? remoteNameById.get(id) ?? id,
    idOf: (monitor) => idByMonitor.get(monitor),
    isDeleted: (id) => deletedIds.has(id),
  };
}
