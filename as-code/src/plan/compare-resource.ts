/** Decides how one resource is planned, from its two sides: the config's and the service's. Pure. */
import type { DeployedKind } from "@svc/contract";
import { changedAt, type Fields } from "./compared-fields.ts";
import type { DeployState } from "./deploy-state.ts";
import { driftOf } from "./drift.ts";
import { areEqual, fieldChanges } from "./field-changes.ts";
import type { Drift, LeftAlone, PlanInput, Prunable, RemoteStep } from "./planned-change.ts";

/** One resource that both sides have. */
export interface BothSides {
  kind: DeployedKind;
  name: string;
  remoteId: string;
  /** Instant of the resource's last change, as the service reports it. */
  updatedAt: string;
  /** The service's fields. */
  before: Fields;
  /** The config's fields. */
  after: Fields;
  /** The service's labels of a check whose labels the config manages. */
  labels?: readonly string[] | undefined;
  /** True when the resource has to be sent although its fields are equal. */
  isForced?: boolean;
}

/** Compares the two sides. */
export function compareResource(
  { secrets, state }: Pick<PlanInput, "secrets" | "state">,
  { kind, name, remoteId, updatedAt, before, after, labels, isForced = false }: BothSides,
): RemoteStep {
  if (areEqual(before, after) && !isForced) return { type: "unchanged", name, remoteId, fieldChanges: [] };
  const drift = driftOf(state.find(kind, remoteId), { kind, updatedAt, labels, after, secrets });
  return {
    type: "update",
    name,
    remoteId,
    fieldChanges: fieldChanges({ kind, before, after, secrets }),
    ...(drift ? { drift } : {}),
  };
}

interface Existing {
  id: string;
  name: string;
  createdAt: string;
  /** Absent for resources that can't change. */
  updatedAt?: string | null;
}

/** A resource that only the service has, and why no deploy deletes it; undefined: --prune does. */
export interface Absent<Resource extends Existing = Existing> {
  resource: Resource;
  reason?: string | undefined;
}

/** Resources that only the service has, as they are planned. */
export interface PlannedAbsent {
  deletions: RemoteStep[];
  prunable: Prunable[];
  leftAlone: LeftAlone[];
}

/**
 * Plans resources that only the service has: deleted with --prune, else counted. Those of other projects stay in any
 * case.
 */
export function planAbsent(
  { state, isPruning }: Pick<PlanInput, "state" | "isPruning">,
  kind: DeployedKind,
  absent: readonly Absent[],
): PlannedAbsent {
  const own: Existing[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const { resource, reason = reasonOfOtherProject(state, resource.id) } of absent)
    if (reason === undefined) own.push(resource);
    else leftAlone.push({ kind, name: resource.name, id: resource.id, reason });
  if (!isPruning) return { deletions: [], prunable: own.map(({ name }) => ({ kind, name })), leftAlone };
  return { deletions: own.map((resource) => deletionOf(state, kind, resource)), prunable: [], leftAlone };
}

function reasonOfOtherProject(state: DeployState, id: string): string | undefined {
  const project = state.otherProjectOf(id);
  return project === undefined ? undefined : `deployed by the project ${project}`;
}

/**
 * Returns the drift of a resource that is deleted and created again because something of it can't change. It is a
 * conflict when someone else changed it since the last deploy, and also when it was never deployed from here: with it,
 * its history is lost.
 */
export function driftOfReplaced(
  state: DeployState,
  kind: DeployedKind,
  resource: Existing,
): { drift: Drift; isForeign?: true } | undefined {
  const known = state.find(kind, resource.id);
  if (!known) return { drift: "conflict", isForeign: true };
  return known.updatedAt === changedAt(resource) ? undefined : { drift: "conflict" };
}

function deletionOf(state: DeployState, kind: DeployedKind, resource: Existing): RemoteStep {
  const { id, name } = resource;
  const known = state.find(kind, id);
  const hasChanged = known !== undefined && known.updatedAt !== changedAt(resource);
  return {
    type: "delete",
    name,
    remoteId: id,
    fieldChanges: [],
    ...(hasChanged ? { drift: "conflict" as const } : {}),
  };
}
