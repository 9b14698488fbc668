import type { Channel } from "@svc/contract";
import type { DesiredChannel } from "../config/desired.ts";
import { compareResource, planAbsent } from "./compare-resource.ts";
import { changedAt, channelFields } from "./compared-fields.ts";
import type { ChannelChange, ChannelIndex, PlanInput, Prunable } from "./planned-change.ts";

/** Plans the channels, by name. A channel whose type changes is replaced, because a channel's type can't change. */
export function planChannels(input: PlanInput): {
  changes: ChannelChange[];
  prunable: Prunable[];
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
  const { deletions, prunable } = planAbsent(
    input,
    "channel",
    remote.channels.filter(({ name }) => !wanted.has(name)),
  );
  return {
    changes: [...changes, ...deletions.map((step) => ({ ...step, kind: "channel" as const }))],
    prunable,
    index: {
      nameOf: (id) => remote.channels.find((channel) => channel.id === id)?.name ?? id,
      isReplaced: (id) => replacedIds.has(id),
    },
  };
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
  if (existing.type !== desired.config.type)
    return [
      { ...create, replacesAnother: true },
      { kind: "channel", type: "delete", name, remoteId: existing.id, fieldChanges: [] },
    ];
  const step = compareResource(input, {
    kind: "channel",
    name,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    before: channelFields(existing),
    after: channelFields(desired),
  });
  return [{ ...step, kind: "channel", desired }];
}
