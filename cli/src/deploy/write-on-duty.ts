/** Sends what a deploy changes of rotas and of the incident policy. */
import type { IncidentPolicyChange, RotaChange } from "@svc/as-code/plan";
import type { ApiClient, ChannelId, RotaId } from "@svc/contract";
import type { ResourceIds } from "./resource-ids.ts";

interface Tools {
  api: ApiClient;
  ids: ResourceIds;
}

/** Creates or updates a rota; of one beyond the config only the channels that were replaced. */
export async function writeRota({ api, ids }: Tools, change: RotaChange): Promise<void> {
  const { desired, remoteId, members = [], name } = change;
  if (!desired) {
    if (remoteId !== null)
      await api.updateRota(remoteId, {
        members: members.map((one) => ({ ...one, channelIds: renewed(ids, one.channelIds) })),
      });
    return;
  }
  const body = {
    ...desired,
    members: desired.members.map((member) => ({
      name: member.name,
      channelIds: ids.channels(member.channels) as ChannelId[],
    })),
  };
  if (remoteId !== null) await api.updateRota(remoteId, body);
  else ids.add("rota", name, (await api.createRota(body)).id);
}

/** Sets the incident policy; of one beyond the config only the channels that were replaced. */
export async function writeIncidentPolicy(
  { api, ids }: Tools,
  { desired, steps = [] }: IncidentPolicyChange,
): Promise<void> {
  await api.setIncidentPolicy({
    steps: desired
      ? desired.steps.map(({ afterMinutes, channels, rota }) => ({
          afterMinutes,
          channelIds: ids.channels(channels),
          ...(rota !== undefined && { rotaId: ids.get("rota", rota) as RotaId }),
        }))
      : steps.map((step) => ({ ...step, channelIds: renewed(ids, step.channelIds) })),
  });
}

function renewed(ids: ResourceIds, channelIds: readonly string[]): ChannelId[] {
  return ids.renewedChannels(channelIds) as ChannelId[];
}
