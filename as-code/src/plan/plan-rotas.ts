import type { IncidentPolicy, Rota } from "@svc/contract";
import { compareResource, planAbsent } from "./compare-resource.ts";
import {
  changedAt,
  incidentPolicyFields,
  remoteIncidentPolicyFields,
  remoteRotaFields,
  rotaFields,
} from "./compared-fields.ts";
import type {
  ChannelIndex,
  IncidentPolicyChange,
  LeftAlone,
  PlanInput,
  Prunable,
  RotaChange,
} from "./planned-change.ts";

/** Name of the one incident policy in plans and state. */
const POLICY_NAME = "incidentPolicy";

/** Plans the rotas, by name. */
export function planRotas(
  input: PlanInput,
  channels: ChannelIndex,
): { changes: RotaChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
  const { desired, remote } = input;
  const planned = desired.rotas.map((rota): RotaChange => {
    const existing = remote.rotas.find(({ name }) => name === rota.name);
    if (!existing)
      return {
        kind: "rota",
        type: "create",
        name: rota.name,
        remoteId: null,
        fieldChanges: [],
        desired: rota,
      };
    const step = compareResource(input, {
      kind: "rota",
      name: rota.name,
      remoteId: existing.id,
      updatedAt: changedAt(existing),
      before: remoteRotaFields(existing, { channel: channels.nameOf }),
      after: rotaFields(rota),
      isForced: namesReplaced(existing, channels),
    });
    return { ...step, kind: "rota", desired: rota };
  });
  const wanted = new Set(desired.rotas.map(({ name }) => name));
  const absent = remote.rotas.filter(({ name }) => !wanted.has(name));
  const { deletions, prunable, leftAlone } = planAbsent(
    input,
    "rota",
    absent.map((rota) => ({ resource: rota })),
  );
  const deleted = new Set(deletions.map(({ remoteId }) => remoteId));
  const redirected = absent.filter((rota) => !deleted.has(rota.id) && namesReplaced(rota, channels));
  return {
    changes: [
      ...planned,
      ...deletions.map((step): RotaChange => ({ ...step, kind: "rota" })),
      ...redirected.map(
        ({ id, name, members }): RotaChange => ({
          kind: "rota",
          type: "update",
          name,
          remoteId: id,
          fieldChanges: [],
          members,
        }),
      ),
    ],
    prunable,
    leftAlone,
  };
}

function namesReplaced({ members }: Rota, { isReplaced }: ChannelIndex): boolean {
  return members.some(({ channelIds }) => channelIds.some(isReplaced));
}

/** Plans the incident policy, of which a team has one. */
export function planIncidentPolicy(
  input: PlanInput,
  channels: ChannelIndex,
): { changes: IncidentPolicyChange[]; prunable: Prunable[]; leftAlone: LeftAlone[] } {
  const { remote, desired: config } = input;
  const desired = config.incidentPolicy;
  const existing = remote.incidentPolicy?.steps.length ? remote.incidentPolicy : undefined;
  const kind = "incident_policy" as const;
  if (!desired) return planAbsentPolicy(input, channels, existing);
  if (!existing) {
    const create = { type: "create", name: POLICY_NAME, remoteId: null, fieldChanges: [] } as const;
    return { changes: [{ ...create, fieldChanges: [], kind, desired }], prunable: [], leftAlone: [] };
  }
  const step = compareResource(input, {
    kind,
    name: POLICY_NAME,
    remoteId: existing.teamId,
    updatedAt: existing.updatedAt ?? "",
    before: remoteIncidentPolicyFields(existing, {
      channel: channels.nameOf,
      rota: (id) => remote.rotas.find((rota) => rota.id === id)?.name ?? id,
    }),
    after: incidentPolicyFields(desired),
    isForced: existing.steps.some(({ channelIds }) => channelIds.some(channels.isReplaced)),
  });
  return { changes: [{ ...step, kind, desired }], prunable: [], leftAlone: [] };
}

function planAbsentPolicy(
  input: PlanInput,
  channels: ChannelIndex,
  existing: IncidentPolicy | undefined,
): ReturnType<typeof planIncidentPolicy> {
  if (!existing) return { changes: [], prunable: [], leftAlone: [] };
  const { teamId: id, steps, updatedAt } = existing;
  const kind = "incident_policy" as const;
  const resource = { id, name: POLICY_NAME, createdAt: updatedAt ?? "", updatedAt };
  const { deletions, prunable, leftAlone } = planAbsent(input, kind, [{ resource }]);
  const isRedirected =
    deletions.length === 0 && steps.some(({ channelIds }) => channelIds.some(channels.isReplaced));
  return {
    changes: [
      ...deletions.map((step): IncidentPolicyChange => ({ ...step, kind })),
      ...(isRedirected
        ? [{ kind, type: "update" as const, name: POLICY_NAME, remoteId: id, fieldChanges: [], steps }]
        : []),
    ],
    prunable,
    leftAlone,
  };
}
