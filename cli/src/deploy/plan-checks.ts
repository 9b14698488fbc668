import type { Check } from "@svc/contract";
import type { DesiredMonitor } from "../config/desired.ts";
import { problemAt, problemLine } from "../config/positions.ts";
import { CliError } from "../runtime/cli-error.ts";
import { changedAt, checkFields, monitorFields } from "./compared-fields.ts";
import { areEqual } from "./field-changes.ts";
import { absent, type Change, comparison, type PlanContext } from "./planned-change.ts";

/** Monitors by what was deployed under their name, by their former name, by their name. Fills in what later parts ask for. */
export function planChecks(context: PlanContext): Change[] {
  const { desired, remote, deletedChecks } = context;
  assertLocationsExist(context);
  const known = indexOf(remote.checks);
  const taken = new Map<string, string>();
  const byMonitor = new Map<string, Check>();
  for (const monitor of desired.monitors) {
    const check = findCheck(context, known, monitor);
    if (!check) continue;
    const other = taken.get(check.id);
    if (other !== undefined)
      throw new CliError(
        "general_error",
        `"${monitor.name}" and "${other}" would both be the check ${check.id}`,
        { hint: "Is renamedFrom right?" },
      );
    taken.set(check.id, monitor.name);
    byMonitor.set(monitor.name, check);
  }
  const changes = desired.monitors.flatMap((monitor) =>
    planMonitor(context, monitor, byMonitor.get(monitor.name)),
  );
  const extra = remote.checks.filter((check) => !taken.has(check.id) && !isUnmanaged(check));
  for (const check of extra)
    changes.push(
      ...absent(context, {
        kind: "check",
        name: check.name,
        remoteId: check.id,
        updatedAt: changedAt(check),
        work: { kind: "check" },
      }).map((change) => ({ ...change, checkType: check.type })),
    );
  for (const { type, remoteId } of changes)
    if (type === "delete" && remoteId !== null) deletedChecks.add(remoteId);
  const staying = [...byMonitor].filter(([, check]) => !deletedChecks.has(check.id));
  const names = new Map(staying.map(([name, { id }]) => [id, name]));
  const ids = new Map(staying.map(([name, { id }]) => [name, id]));
  context.checkName = (id) => names.get(id) ?? known.byId.get(id)?.name ?? id;
  context.checkIdOf = (name) => ids.get(name);
  return changes;
}

/** A config can't describe checks of a single URL in a browser. */
function isUnmanaged({ type, configJson }: Check): boolean {
  return type === "browser" && configJson.browserMode === "url";
}

function planMonitor(context: PlanContext, monitor: DesiredMonitor, check: Check | undefined): Change[] {
  const { name, type, frequencySeconds, locations } = monitor;
  const base = { kind: "check" as const, name, checkType: type };
  const create: Change = {
    ...base,
    type: "create",
    remoteId: null,
    fieldChanges: [],
    frequencySeconds,
    locationCount: locations.length,
    work: { kind: "check", desired: monitor },
  };
  if (!check) return [create];
  if (check.type !== type)
    return [
      {
        ...base,
        checkType: check.type,
        type: "delete",
        remoteId: check.id,
        fieldChanges: [],
        work: { kind: "check" },
      },
      create,
    ];
  const labels = monitor.labels && (context.remote.labels[check.id] ?? []);
  const [before, after] = [checkFields(check, labels), monitorFields(monitor)];
  const change = comparison(context, {
    kind: "check",
    name,
    remoteId: check.id,
    updatedAt: changedAt(check),
    labels,
    before,
    after,
    work: {
      kind: "check",
      desired: monitor,
      sendsCheck: !areEqual({ ...before, labels: 0 }, { ...after, labels: 0 }),
      sendsLabels:
        labels !== undefined && !areEqual({ labels: [...labels].sort() }, { labels: after.labels }),
    },
  });
  return [{ ...change, checkType: type }];
}

interface Known {
  byId: Map<string, Check>;
  byName: Map<string, Check[]>;
}

function indexOf(checks: readonly Check[]): Known {
  const known: Known = { byId: new Map(), byName: new Map() };
  for (const check of checks) {
    known.byId.set(check.id, check);
    const named = known.byName.get(check.name);
    if (named) named.push(check);
    else known.byName.set(check.name, [check]);
  }
  return known;
}

function findCheck(
  { state }: PlanContext,
  known: Known,
  { name, renamedFrom }: DesiredMonitor,
): Check | undefined {
  const byId = (id: string | undefined) => (id === undefined ? undefined : known.byId.get(id));
  const deployed = byId(state.named("check", name)?.resourceId);
  if (deployed) return deployed;
  const named = known.byName.get(name) ?? [];
  if (named.length > 1)
    throw new CliError("general_error", `the service has ${named.length} monitors named "${name}"`, {
      hint: `Rename or delete all but one: ${named.map(({ id }) => id).join(", ")}`,
    });
  if (named.length === 1 || renamedFrom === undefined) return named[0];
  const before = byId(state.named("check", renamedFrom)?.resourceId);
  return before ?? known.byName.get(renamedFrom)?.[0];
}

function assertLocationsExist({ desired, remote }: PlanContext): void {
  const known = new Set(remote.locations.map(({ id }) => id));
  const problems = desired.monitors.flatMap(({ locations, place, path, name }) =>
    locations
      .filter((id) => !known.has(id))
      .map((id) => ({
        ...problemAt(place, [], `monitor "${name}": there is no location ${id}`),
        path,
      })),
  );
  if (problems.length > 0)
    throw new CliError("general_error", "the config names locations that the service does not have", {
      hint: `${problems.map((one) => `  ${problemLine(one)}`).join("\n")}\nRun: svc api /api/locations`,
      details: { problems },
    });
}
