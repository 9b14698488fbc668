/** Finds the service's check of each monitor of the config. Pure. */
import type { Check } from "@svc/contract";
import type { DesiredMonitor } from "../config/desired.ts";
import { PlanError } from "./plan-error.ts";
import type { PlanInput } from "./planned-change.ts";

/**
 * Matches monitors with checks: by the check that was deployed under the monitor's name, by its name, by its former name.
 * @returns checks by the monitor's name; a monitor without a check is to be created
 * @throws PlanError when two monitors would be one check, or several checks have the monitor's name
 */
export function matchChecks({
  desired,
  remote,
  state,
}: Pick<PlanInput, "desired" | "remote" | "state">): Map<string, Check> {
  const lookup: Lookup = {
    state,
    byId: new Map(remote.checks.map((check) => [check.id, check])),
    byName: groupByName(remote.checks),
  };
  const matches = new Map<string, Check>();
  const monitorByCheckId = new Map<string, string>();
  for (const monitor of desired.monitors) {
    const check = findCheck(lookup, monitor);
    if (!check) continue;
    const other = monitorByCheckId.get(check.id);
    if (other !== undefined)
      throw new PlanError(
        `"${monitor.name}" and "${other}" would both be the check ${check.id}`,
        "Is renamedFrom right?",
      );
    monitorByCheckId.set(check.id, monitor.name);
    matches.set(monitor.name, check);
  }
  return matches;
}

interface Lookup {
  state: PlanInput["state"];
  byId: ReadonlyMap<string, Check>;
  byName: ReadonlyMap<string, Check[]>;
}

function groupByName(checks: readonly Check[]): Map<string, Check[]> {
  const groups = new Map<string, Check[]>();
  for (const check of checks) {
    const group = groups.get(check.name);
    if (group) group.push(check);
    else groups.set(check.name, [check]);
  }
  return groups;
}

function findCheck(
  { state, byId, byName }: Lookup,
  { name, renamedFrom }: DesiredMonitor,
): Check | undefined {
  const deployedAs = (monitor: string) => {
    const id = state.named("check", monitor)?.resourceId;
    return id === undefined ? undefined : byId.get(id);
  };
  const deployed = deployedAs(name);
  if (deployed) return deployed;
  const named = byName.get(name) ?? [];
  if (named.length > 1)
    throw new PlanError(
      `the service has ${named.length} monitors named "${name}"`,
      `Rename or delete all but one: ${named.map(({ id }) => id).join(", ")}`,
    );
  if (named.length === 1 || renamedFrom === undefined) return named[0];
  return deployedAs(renamedFrom) ?? byName.get(renamedFrom)?.[0];
}
