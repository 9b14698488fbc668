import type { Channel } from "@svc/contract";
import type { DesiredChannel } from "../config/desired.ts";
import { isDescribable } from "../is-describable.ts";
import { compareResource, driftOfReplaced, planAbsent } from "./compare-resource.ts";
import { changedAt, channelFields, remoteChannelFields } from "./compared-fields.ts";
import type { ChannelChange, ChannelIndex, LeftAlone, PlanInput, Prunable } from "./planned-change.ts";

/** Plans the channels, by name. A channel whose type changes is replaced, because a channel's type can't change. */
export function planChannels(input: PlanInput): {
  changes: ChannelChange[];
  prunable: Prunable[];
  leftAlone: LeftAlone[];
  index: ChannelIndex;
} {
  const { desired, remote } = input;
  const remoteByName = new Map(remote.channels.map((channel) => [channel.name, channel]));
  const changes = desired.channels.flatMap((channel) =>
    planChannel(input, channel, remoteByName.get(channel.name)),
  );
  const replacedIds = new Set(
    changes.filter(({ type }) => type === "delete").map(({ remoteId }) => remoteId),
  );
  const wanted = new Set(desired.channels.map(({ name }) => name));
  const needed = channelsOfUnmanaged(input);
  const { deletions, prunable, leftAlone } = planAbsent(
    input,
    "channel",
    remote.channels
      .filter(({ name }) => !wanted.has(name))
      .map((channel) => ({ resource: channel, reason: needed.get(channel.id) })),
  );
  return {
    changes: [...changes, ...deletions.map((step) => ({ ...step, kind: "channel" as const }))],
    prunable,
    leftAlone,
    index: {
      nameOf: (id) => remote.channels.find((channel) => channel.id === id)?.name ?? id,
      isReplaced: (id) => replacedIds.has(id),
    },
  };
}

/**
 * Returns the channels that rules, SLOs, policies and rotas beyond any config notify, which the service would not delete, with the
 * reason.
 */
function channelsOfUnmanaged({ remote, state, desired }: PlanInput): Map<string, string> {
  const stays = (checkId: string | null) => {
    const check = remote.checks.find(({ id }) => id === checkId);
    return check !== undefined && (!isDescribable(check) || state.otherProjectOf(check.id) !== undefined);
  };
  const rules = remote.alerts.filter(({ checkId }) => stays(checkId));
  const slos = remote.slos.filter(
    ({ id, checkId }) => stays(checkId) || (checkId === null && state.otherProjectOf(id) !== undefined),
  );
  const policies = remote.policies.filter(({ id }) => state.otherProjectOf(id) !== undefined);
  const rotas = remote.rotas
    .filter(({ id }) => state.otherProjectOf(id) !== undefined)
    .map(({ name, members }) => ({ name, channelIds: members.flatMap((member) => member.channelIds) }));
  const policy = remote.incidentPolicy;
  const steps =
    policy && !desired.incidentPolicy && state.otherProjectOf(policy.teamId) !== undefined
      ? policy.steps
      : [];
  const ofSteps = steps.map(({ channelIds }) => ({ name: "incidentPolicy", channelIds }));
  return new Map(
    [...rules, ...slos, ...policies, ...rotas, ...ofSteps].flatMap(({ channelIds, name }) =>
      channelIds.map((id): [string, string] => [
        id,
        `"${name ?? "a rule"}", which deploys leave alone, notifies it`,
      ]),
    ),
  );
}

function planChannel(
  input: PlanInput,
  desired: DesiredChannel,
  existing: Channel | undefined,
): ChannelChange[] {
  const { name } = desired;
  const create: ChannelChange = {
    kind: "channel",
    type: "create",
    name,
    remoteId: null,
    fieldChanges: [],
    desired,
  };
  if (!existing) return [create];
  if (existing.type !== desired.config.type) {
    const drift = driftOfReplaced(input.state, "channel", existing);
    return [
      { ...create, replacesAnother: true, ...drift },
      { kind: "channel", type: "delete", name, remoteId: existing.id, fieldChanges: [], ...drift },
    ];
  }
  const step = compareResource(input, {
    kind: "channel",
    name,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    before: remoteChannelFields(existing),
    after: channelFields(desired),
  });
  return [{ ...step, kind: "channel", desired }];
}
