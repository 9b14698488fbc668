/** A planned change, and how one comes about from two sides of a resource. */
import type { CheckType, DeployedKind } from "@svc/contract";
import type {
  Desired,
  DesiredAlert,
  DesiredChannel,
  DesiredMonitor,
  DesiredSlo,
  DesiredWindow,
} from "../config/desired.ts";
import type { Secrets } from "../output/secrets.ts";
import type { Fields } from "./compared-fields.ts";
import { driftOf } from "./drift.ts";
import type { Remote } from "./fetch-remote.ts";
import { areEqual, type FieldChange, fieldChanges } from "./field-changes.ts";
import type { DeployState } from "./state.ts";

/** What has to be sent; the phase follows from kind and type. */
export type Work =
  | { kind: "channel"; desired?: DesiredChannel; isReplaced?: boolean }
  | { kind: "check"; desired?: DesiredMonitor; sendsCheck?: boolean; sendsLabels?: boolean }
  | { kind: "alert"; desired?: DesiredAlert; monitor: string; channelIds?: string[] }
  | { kind: "slo"; desired?: DesiredSlo; channelIds?: string[] }
  | { kind: "maintenance_window"; desired?: DesiredWindow };

export interface Change {
  type: "create" | "update" | "delete" | "unchanged";
  kind: DeployedKind;
  name: string;
  remoteId: string | null;
  fieldChanges: FieldChange[];
  /** The service's side changed since the last deploy; conflict: the config's, too. */
  drift?: "drift" | "conflict";
  checkType?: CheckType;
  /** Of checks being created. */
  frequencySeconds?: number;
  locationCount?: number;
  work: Work;
}

export interface Plan {
  project: string;
  changes: Change[];
  /** Resources of the service that no config has; --prune deletes them. */
  prunable: { kind: DeployedKind; name: string }[];
}

export interface PlanInput {
  desired: Desired;
  remote: Remote;
  state: DeployState;
  secrets: Secrets;
  isPruning: boolean;
}

/** What the later parts of a plan have to know of the earlier ones. */
export interface PlanContext extends PlanInput {
  channelName(id: string): string;
  checkName(id: string): string;
  /** Remote check of a monitor that stays; undefined when it is created or made anew. */
  checkIdOf(monitor: string): string | undefined;
  /** Checks that this deploy deletes. */
  deletedChecks: Set<string>;
  /** Channels that are made anew under their name. */
  replacedChannels: Map<string, string>;
  prunable: Plan["prunable"];
}

/** One resource that is on both sides. @param isForced to be sent although its fields are the same */
export function comparison(
  { secrets, state }: PlanContext,
  {
    kind,
    name,
    remoteId,
    updatedAt,
    before,
    after,
    work,
    labels,
    isForced = false,
  }: {
    kind: DeployedKind;
    name: string;
    remoteId: string;
    updatedAt: string;
    before: Fields;
    after: Fields;
    work: Work;
    labels?: readonly string[] | undefined;
    isForced?: boolean;
  },
): Change {
  const base = { kind, name, remoteId, work };
  if (areEqual(before, after) && !isForced) return { ...base, type: "unchanged", fieldChanges: [] };
  const changes = fieldChanges(kind, before, after, secrets);
  const drift = driftOf(state.find(kind, remoteId), { kind, updatedAt, labels, after, secrets });
  return { ...base, type: "update", fieldChanges: changes, ...(drift ? { drift } : {}) };
}

/** A remote resource that the config doesn't have: deleted with --prune, else counted. Other projects' stay in any case. */
export function absent(
  { state, isPruning, prunable }: PlanContext,
  {
    kind,
    name,
    remoteId,
    updatedAt,
    work,
  }: {
    kind: DeployedKind;
    name: string;
    remoteId: string;
    updatedAt: string;
    work: Work;
  },
): Change[] {
  if (state.isOfOtherProject(remoteId)) return [];
  if (!isPruning) {
    prunable.push({ kind, name });
    return [];
  }
  const known = state.find(kind, remoteId);
  const hasChanged = known !== undefined && known.updatedAt !== updatedAt;
  return [
    {
      type: "delete",
      kind,
      name,
      remoteId,
      fieldChanges: [],
      work,
      ...(hasChanged ? { drift: "conflict" } : {}),
    },
  ];
}
