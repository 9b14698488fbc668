/** Decides how one resource is planned, from its two sides: the config's and the service's. Pure. */
import type { DeployedKind } from "@svc/contract";
import { changedAt, type Fields } from "./compared-fields.ts";
import { driftOf } from "./drift.ts";
import { areEqual, fieldChanges } from "./field-changes.ts";
import type { PlanInput, Prunable, RemoteStep } from "./planned-change.ts";
import type { DeployState } from "./state.ts";

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
  updatedAt: string | null;
}

/** Plans resources that only the service has: deleted with --prune, else counted. Those of other projects stay in any case. */
export function planAbsent(
  { state, isPruning }: Pick<PlanInput, "state" | "isPruning">,
  kind: DeployedKind,
  absent: readonly Existing[],
): { deletions: RemoteStep[]; prunable: Prunable[] } {
  const own = absent.filter(({ id }) => !state.isOfOtherProject(id));
  if (!isPruning) return { deletions: [], prunable: own.map(({ name }) => ({ kind, name })) };
  return { deletions: own.map((resource) => deletionOf(state, kind, resource)), prunable: [] };
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
