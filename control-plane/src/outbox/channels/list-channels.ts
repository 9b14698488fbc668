import { channelSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type ChannelModel, channelFromRow } from "./row.ts";
import { listChannelRows } from "./store.ts";

/** Returns the list of the team's channels, newest first; where masked, without their secrets. */
export function listChannels(
  { services, teamId }: TeamContext,
  { isMasked }: { isMasked: boolean },
): RecordList<ChannelModel> {
  const { knex, secrets } = services;
  return {
    name: "channels",
    cursorShape: ["instant", "number"],
    isSized: true,
    read: ({ after, rowsMax }) => listChannelRows(knex, teamId, { after, rowsMax }),
    textOf: (row) => JSON.stringify(z.encode(channelSchema, channelFromRow(secrets, row, { isMasked }))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}
