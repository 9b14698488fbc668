import { channelSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type ChannelModel, channelFromRow } from "./row.ts";
import { listChannelRows } from "./store.ts";

/** Shape of the list's cursors: instant of creation and key. */
export const CHANNEL_CURSOR = ["instant", "number"] as const;

/** Returns the list of the team's channels, newest first. */
export function listChannels({ services, teamId }: TeamContext): ListSource<ChannelModel> {
  const { knex, secrets } = services;
  return {
    read: (after, rowsMax) => listChannelRows(knex, teamId, { after, rowsMax }),
    textOf: (row) => JSON.stringify(z.encode(channelSchema, channelFromRow(secrets, row))),
    cursorOf: (row) => [row.createdAt, row.key],
  };
}
