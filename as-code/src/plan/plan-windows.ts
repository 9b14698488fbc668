import type { MaintenanceWindow } from "@svc/contract";
import type { DesiredWindow } from "../config/desired.ts";
import { compareResource, planAbsent } from "./compare-resource.ts";
import { changedAt, remoteWindowFields, windowFields } from "./compared-fields.ts";
import type {
  ChannelIndex,
  CheckIndex,
  LeftAlone,
  PlanInput,
  Prunable,
  WindowChange,
} from "./planned-change.ts";

/** Plans the maintenance windows, by name. The directory layout can't describe windows: then none is touched. */
export function planWindows(
  input: PlanInput,
  { channels, checks }: { channels: ChannelIndex; checks: CheckIndex },
): { changes: WindowChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
  const { desired, remote } = input;
  if (!desired.windows) return { changes: [], prunable: [], leftAlone: windowsLeftAlone(input) };
  const planned = desired.windows.map((window): WindowChange => {
    const existing = remote.windows.find(({ name }) => name === window.name);
    if (existing) return comparedWindow({ input, channels, checks }, window, existing);
    return {
      kind: "maintenance_window",
      type: "create",
      name: window.name,
      remoteId: null,
      fieldChanges: [],
      desired: window,
    };
  });
  const wanted = new Set(desired.windows.map(({ name }) => name));
  const absent = remote.windows
    .filter(({ name }) => !wanted.has(name))
    .map((window) => ({ resource: window }));
  const { deletions, prunable, leftAlone } = planAbsent(input, "maintenance_window", absent);
  return {
    changes: [
      ...planned,
      ...deletions.map((step): WindowChange => ({ ...step, kind: "maintenance_window" })),
    ],
    prunable,
    leftAlone,
  };
}

function windowsLeftAlone({ remote, isPruning }: PlanInput): LeftAlone[] {
  if (!isPruning) return [];
  return remote.windows.map(({ id, name }) => ({
    kind: "maintenance_window",
    id,
    name,
    reason: "the directory layout can't describe it",
  }));
}

function comparedWindow(
  { input, channels, checks }: { input: PlanInput; channels: ChannelIndex; checks: CheckIndex },
  desired: DesiredWindow,
  existing: MaintenanceWindow,
): WindowChange {
  const { checkIds } = existing;
  const step = compareResource(input, {
    kind: "maintenance_window",
    name: desired.name,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    before: remoteWindowFields(existing, { channel: channels.nameOf, check: checks.nameOf }),
    after: windowFields(desired),
    // A check that is deleted and created again leaves the window with its old id.
    isForced: checkIds !== "all" && checkIds.some(checks.isDeleted),
  });
  return { ...step, kind: "maintenance_window", desired };
}
