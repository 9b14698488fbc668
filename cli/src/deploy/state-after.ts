/**
 * Computes the state to keep after a deploy: id, hash and last change of each resource that now is as the config says.
 * Pure.
 */

import type { Desired } from "@svc/as-code/config";
import {
  alertFields,
  changedAt,
  channelFields,
  computePlan,
  type DeployState,
  type Fields,
  fingerprint,
  incidentPolicyFields,
  monitorFields,
  type PlannedChange,
  patternFields,
  policyFields,
  type Remote,
  rotaFields,
  type Secrets,
  sloFields,
  statusPageFields,
  windowFields,
} from "@svc/as-code/plan";
import type { DeployedResource } from "@svc/contract";

/** The config, and the service and the state before and after the deploy. */
export interface StateAfterInput {
  desired: Desired;
  /** The service's resources after the deploy. */
  remote: Remote;
  /** The state before the deploy; its entries stay for resources that are not as the config says. */
  former: DeployState;
  secrets: Secrets;
}

/** Returns new entries for the resources that now are as the config says, and the former entries of the others. */
export function stateAfter({ desired, remote, former, secrets }: StateAfterInput): DeployedResource[] {
  const { changes } = computePlan({ desired, remote, state: former, secrets, isPruning: false });
  const resources = resourcesById(remote);
  return changes.flatMap((change) => {
    if (change.remoteId === null || change.type === "delete") return [];
    if (change.type !== "unchanged") return former.find(change.kind, change.remoteId) ?? [];
    const resource = resources.get(change.remoteId);
    return resource ? deployedOf(change, resource, secrets) : [];
  });
}

function deployedOf(change: PlannedChange, resource: DatedResource, secrets: Secrets): DeployedResource[] {
  const { kind, name } = change;
  const fields = fieldsOf(change);
  if (!fields) return [];
  const { labels } = fields;
  return [
    {
      kind,
      name: name.slice(0, 600),
      resourceId: resource.id,
      updatedAt: changedAt(resource),
      hash: fingerprint(kind, fields, secrets),
      ...(Array.isArray(labels) ? { labels } : {}),
    },
  ];
}

type DatedResource = Parameters<typeof changedAt>[0] & { id: string };

/** Ids begin with their kind: ids of different kinds differ. */
function resourcesById({
  channels,
  checks,
  alerts,
  patterns,
  slos,
  policies,
  rotas,
  incidentPolicy,
  statusPages,
  windows,
}: Remote): Map<string, DatedResource> {
  const all: DatedResource[] = [
    ...channels,
    ...checks,
    ...alerts,
    ...patterns,
    ...slos,
    ...policies,
    ...rotas,
    ...(incidentPolicy?.updatedAt
      ? [{ id: incidentPolicy.teamId, createdAt: incidentPolicy.updatedAt }]
      : []),
    ...statusPages,
    ...windows,
  ];
  return new Map(all.map((resource) => [resource.id, resource]));
}

function fieldsOf(change: PlannedChange): Fields | undefined {
  switch (change.kind) {
    case "channel":
      return change.desired && channelFields(change.desired);
    case "check":
      return change.desired && monitorFields(change.desired);
    case "alert":
      return change.desired && alertFields(change.desired);
    case "third_party_pattern":
      return change.desired && patternFields(change.desired);
    case "slo":
      return change.desired && sloFields(change.desired);
    case "alert_policy":
      return change.desired && policyFields(change.desired);
    case "rota":
      return change.desired && rotaFields(change.desired);
    case "incident_policy":
      return change.desired && incidentPolicyFields(change.desired);
    case "status_page":
      return change.desired && statusPageFields(change.desired);
    case "maintenance_window":
      return change.desired && windowFields(change.desired);
  }
}
