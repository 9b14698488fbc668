import { type ApiKey, apiKeySchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { listApiKeyRows } from "./store.ts";

/** Returns the list of the team's keys, newest first. */
export function listApiKeys({ services, teamId }: TeamContext): RecordList<ApiKey> {
  return {
    name: "keys",
    cursorShape: ["instant", "string"],
    read: (part) => listApiKeyRows(services.knex, teamId, part),
    textOf: (key) => JSON.stringify(z.encode(apiKeySchema, key)),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  };
}
