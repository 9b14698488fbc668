import type { Check } from "@svc/contract";
import type { DesiredMonitor } from "../config/desired.ts";
import { isDescribable } from "../is-describable.ts";
import { compareResource, driftOfReplaced, planAbsent } from "./compare-resource.ts";
import { changedAt, checkFields, type Fields, monitorFields } from "./compared-fields.ts";
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

/** A deletion sends nothing beside itself. */
const SENDS_NOTHING = {
  sendsCheck: false,
  sendsLabels: false,
  sendsDependencies: false,
  dropsDependencies: false,
} satisfies Partial<CheckChange>;

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
  const references = referencesOf(input, checkByMonitor, deletions);
  const typeById = new Map<string, Check["type"]>(absent.map(({ id, type }) => [id, type]));
  const changes = [
    ...desired.monitors.flatMap((monitor) =>
      planMonitor(input, monitor, { check: checkByMonitor.get(monitor.name), references }),
    ),
    ...deletions.flatMap((step): CheckChange[] => {
      const checkType = typeById.get(step.remoteId);
      return checkType ? [{ ...step, kind: "check", checkType, ...SENDS_NOTHING }] : [];
    }),
  ];
  return { changes, prunable, leftAlone, locationNotices, index: indexOf(input, checkByMonitor, changes) };
}

/** How monitors name the checks that they depend on, and which of these the deploy deletes. */
interface References {
  /** Returns the name of the monitor that the check is deployed as; the id of a check beyond the config. */
  nameOf(id: string): string;
  isDeleted(id: string): boolean;
}

function referencesOf(
  { desired }: PlanInput,
  checkByMonitor: ReadonlyMap<string, Check>,
  deletions: readonly { remoteId: string }[],
): References {
  const monitorById = new Map<string, string>([...checkByMonitor].map(([monitor, { id }]) => [id, monitor]));
  const replaced = desired.monitors.flatMap(({ name, type }) => {
    const check = checkByMonitor.get(name);
    return check && check.type !== type ? [check.id] : [];
  });
  const deletedIds = new Set<string>([...deletions.map(({ remoteId }) => remoteId), ...replaced]);
  return { nameOf: (id) => monitorById.get(id) ?? id, isDeleted: (id) => deletedIds.has(id) };
}

interface KnownCheck {
  /** The service's check of the monitor; undefined: there is none. */
  check: Check | undefined;
  references: References;
}

function planMonitor(
  input: PlanInput,
  desired: DesiredMonitor,
  { check, references }: KnownCheck,
): CheckChange[] {
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
    sendsDependencies: desired.dependsOn.length > 0,
    dropsDependencies: false,
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
  // An id in the config stays one, also where the check is known by a name.
  const nameOf = (id: string) => (desired.dependsOn.includes(id) ? id : references.nameOf(id));
  const before = checkFields(check, labels, nameOf);
  const after = monitorFields(desired);
  const current = check.dependsOn ?? [];
  // A check that is deleted and created again is depended on no longer.
  const isLosing = current.some(references.isDeleted);
  const step = compareResource(input, {
    kind: "check",
    name,
    remoteId: check.id,
    updatedAt: changedAt(check),
    labels,
    before,
    after,
    isForced: isLosing,
  });
  return [
    {
      ...step,
      kind: "check",
      checkType: type,
      desired,
      sendsCheck: !areEqual(ofCheckAlone(before), ofCheckAlone(after)),
      sendsLabels: labels !== undefined && !areEqual({ labels: before.labels }, { labels: after.labels }),
      sendsDependencies:
        isLosing || !areEqual({ dependsOn: before.dependsOn }, { dependsOn: after.dependsOn }),
      dropsDependencies: current.some((id) => !desired.dependsOn.includes(nameOf(id))),
    },
  ];
}

/** Leaves out the fields that requests of their own send. */
function ofCheckAlone(fields: Fields): Fields {
  return { ...fields, labels: 0, dependsOn: 0 };
}

function deletionOf(check: Check, name: string): CheckChange {
  return {
    kind: "check",
    checkType: check.type,
    type: "delete",
    name,
    remoteId: check.id,
    fieldChanges: [],
    ...SENDS_NOTHING,
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
