import { changedAt, channelFields } from "./compared-fields.ts";
import { absent, type Change, comparison, type PlanContext } from "./planned-change.ts";

/** Channels by name. One whose type changes is made anew: its type can't change. */
export function planChannels(context: PlanContext): Change[] {
  const { desired, remote, replacedChannels } = context;
  const changes: Change[] = [];
  for (const channel of desired.channels) {
    const { name } = channel;
    const existing = remote.channels.find((one) => one.name === name);
    const base = { kind: "channel" as const, name };
    const work = { kind: "channel" as const, desired: channel };
    if (!existing) {
      changes.push({ ...base, type: "create", remoteId: null, fieldChanges: [], work });
    } else if (existing.type !== channel.config.type) {
      replacedChannels.set(existing.id, name);
      changes.push(
        { ...base, type: "create", remoteId: null, fieldChanges: [], work: { ...work, isReplaced: true } },
        {
          ...base,
          type: "delete",
          remoteId: existing.id,
          fieldChanges: [],
          work: { kind: "channel", isReplaced: true },
        },
      );
    } else {
      changes.push(
        comparison(context, {
          ...base,
          remoteId: existing.id,
          updatedAt: changedAt(existing),
          work,
          before: channelFields(existing),
          after: channelFields(channel),
        }),
      );
    }
  }
  const wanted = new Set(desired.channels.map(({ name }) => name));
  const extra = remote.channels.filter(({ name }) => !wanted.has(name));
  return [
    ...changes,
    ...extra.flatMap((one) =>
      absent(context, {
        kind: "channel",
        name: one.name,
        remoteId: one.id,
        updatedAt: changedAt(one),
        work: { kind: "channel" },
      }),
    ),
  ];
}
