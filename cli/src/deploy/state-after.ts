/** What to keep after a deploy: of each resource that now is as the config says, its id, its hash and when it last changed. */
import type { DeployedResource } from "@svc/contract";
import type { Desired } from "../config/desired.ts";
import type { Secrets } from "../output/secrets.ts";
import {
  alertFields,
  changedAt,
  channelFields,
  type Fields,
  monitorFields,
  sloFields,
  windowFields,
} from "./compared-fields.ts";
import { computePlan } from "./compute-plan.ts";
import type { Remote } from "./fetch-remote.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Change } from "./planned-change.ts";
import type { DeployState } from "./state.ts";

/**
 * @param remote as it is after the deploy   @param former what is kept of resources that are not as the config says
 */
export function stateAfter(
  desired: Desired,
  remote: Remote,
  former: DeployState,
  secrets: Secrets,
): DeployedResource[] {
  const { changes } = computePlan({ desired, remote, state: former, secrets, isPruning: false });
  const records = recordsById(remote);
  return changes.flatMap((change) => {
    if (change.remoteId === null || change.type === "delete") return [];
    if (change.type !== "unchanged") return former.find(change.kind, change.remoteId) ?? [];
    return deployed(change, records.get(change.remoteId), secrets);
  });
}

function deployed(change: Change, record: Dated | undefined, secrets: Secrets): DeployedResource[] {
  const { kind, name, remoteId } = change;
  const fields = fieldsOf(change);
  if (!record || !fields || remoteId === null) return [];
  const { labels } = fields;
  return [
    {
      kind,
      name: name.slice(0, 600),
      resourceId: remoteId,
      updatedAt: changedAt(record),
      hash: fingerprint(kind, fields, secrets),
      ...(Array.isArray(labels) ? { labels } : {}),
    },
  ];
}

type Dated = Parameters<typeof changedAt>[0] & { id: string };

/** Ids begin with their kind: those of different kinds differ. */
function recordsById({ channels, checks, alerts, slos, windows }: Remote): Map<string, Dated> {
  const records: Dated[] = [...channels, ...checks, ...alerts, ...slos, ...windows];
  return new Map(records.map((record) => [record.id, record]));
}

function fieldsOf({ work }: Change): Fields | undefined {
  switch (work.kind) {
    case "channel":
      return work.desired && channelFields(work.desired);
    case "check":
      return work.desired && monitorFields(work.desired);
    case "alert":
      return work.desired && alertFields(work.desired);
    case "slo":
      return work.desired && sloFields(work.desired);
    case "maintenance_window":
      return work.desired && windowFields(work.desired);
  }
}
