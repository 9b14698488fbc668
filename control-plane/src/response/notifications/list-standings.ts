import { type ChannelStanding, channelStandingSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { listStandingRows, type StandingRow } from "./standing-store.ts";

/** Returns the list of how the team's channels stand, the newest channel first. */
export function listStandings({ services, teamId }: TeamContext): RecordList<StandingRow> {
  return {
    name: "standings",
    cursorShape: ["instant", "number"],
    read: (part) => listStandingRows(services.knex, teamId, part),
    textOf: (row) => JSON.stringify(z.encode(channelStandingSchema, standingFromRow(row))),
    cursorOf: ({ createdAt, key }) => [createdAt, key],
  };
}

function standingFromRow({ key, createdAt, lastDelivery, ...standing }: StandingRow): ChannelStanding {
  if (lastDelivery === null) return { ...standing, lastDelivery };
  const { atMs, ...delivery } = lastDelivery;
  return { ...standing, lastDelivery: { ...delivery, at: new Date(atMs).toISOString() } };
}
