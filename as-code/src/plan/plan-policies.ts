import { type AlertPolicy, type CheckOfRule, hasPolicyLabels, refusePolicy } from "@svc/contract";
import type { DesiredPolicy } from "../config/desired.ts";
import { compareResource, planAbsent } from "./compare-resource.ts";
import { changedAt, policyFields, remotePolicyFields } from "./compared-fields.ts";
import type { Indexes, LeftAlone, PlanInput, PolicyChange, Prunable } from "./planned-change.ts";

type WatchedMonitor = CheckOfRule & { name: string; labels: readonly string[] };

/** Plans the alert policies, by name, with the monitors for which they hold after the deploy. */
export function planPolicies(
  input: PlanInput,
  indexes: Indexes,
): { changes: PolicyChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
  const { desired, remote } = input;
  const watched = monitorsAfter(input, indexes);
  const planned = desired.policies.map((policy) =>
    planPolicy(
      { input, indexes, watched },
      policy,
      remote.policies.find(({ name }) => name === policy.name),
    ),
  );
  const wanted = new Set(desired.policies.map(({ name }) => name));
  const absent = remote.policies.filter(({ name }) => !wanted.has(name));
  const { deletions, prunable, leftAlone } = planAbsent(
    input,
    "alert_policy",
    absent.map((policy) => ({ resource: policy })),
  );
  const monitorsNow = (name: string) =>
    heldBy(
      absent.find((one) => one.name === name),
      watched,
    );
  const changes = [
    ...planned,
    ...deletions.map(
      (step): PolicyChange => ({ ...step, kind: "alert_policy", monitors: monitorsNow(step.name) }),
    ),
  ];
  const plannedIds = new Set(changes.map(({ remoteId }) => remoteId));
  const others = absent.filter(({ id }) => !plannedIds.has(id));
  return {
    changes: [...changes, ...others.flatMap((policy) => redirectedOf(indexes, policy, watched))],
    prunable,
    leftAlone,
  };
}

function planPolicy(
  { input, indexes, watched }: { input: PlanInput; indexes: Indexes; watched: readonly WatchedMonitor[] },
  desired: DesiredPolicy,
  existing: AlertPolicy | undefined,
): PolicyChange {
  const common = { kind: "alert_policy" as const, desired, monitors: heldBy(desired, watched) };
  if (!existing) return { ...common, type: "create", name: desired.name, remoteId: null, fieldChanges: [] };
  const step = compareResource(input, {
    kind: "alert_policy",
    name: desired.name,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    before: remotePolicyFields(existing, { channel: indexes.channels.nameOf }),
    after: policyFields(desired),
    isForced: existing.channelIds.some(indexes.channels.isReplaced),
  });
  return { ...common, ...step };
}

/** Plans that a policy beyond the config, which notifies a replaced channel, notifies the new one. */
function redirectedOf(
  { channels }: Indexes,
  policy: AlertPolicy,
  watched: readonly WatchedMonitor[],
): PolicyChange[] {
  const { id, name, channelIds } = policy;
  if (!channelIds.some(channels.isReplaced)) return [];
  return [
    {
      kind: "alert_policy",
      type: "update",
      name,
      remoteId: id,
      fieldChanges: [],
      monitors: heldBy(policy, watched),
      channelIds,
    },
  ];
}

/** Returns the names of the monitors for which the policy holds, in alphabetical order. */
function heldBy(
  policy: Pick<AlertPolicy, "enabled" | "labels" | "conditions"> | undefined,
  watched: readonly WatchedMonitor[],
): string[] {
  if (!policy?.enabled) return [];
  return watched
    .filter(
      (monitor) =>
        hasPolicyLabels(policy.labels, monitor.labels) &&
        refusePolicy(policy.conditions, monitor) === undefined,
    )
    .map(({ name }) => name)
    .sort();
}

/** Returns every monitor of the team as it is after the deploy: those of the config, and the service's others. */
function monitorsAfter({ desired, remote }: PlanInput, { checks }: Indexes): WatchedMonitor[] {
  const ids = new Set<string>();
  const own = desired.monitors.map(({ name, type, config, labels }): WatchedMonitor => {
    const id = checks.idOf(name);
    if (id !== undefined) ids.add(id);
    return { name, type, config, labels: labels ?? remote.labels[id ?? ""] ?? [] };
  });
  const others = remote.checks.filter(({ id }) => !ids.has(id) && !checks.isDeleted(id));
  return [
    ...own,
    ...others.map(({ id, name, type, configJson }) => ({
      name,
      type,
      config: configJson,
      labels: remote.labels[id] ?? [],
    })),
  ];
}
