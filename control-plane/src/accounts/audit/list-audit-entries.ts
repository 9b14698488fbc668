import { type AuditQuery, auditEntrySchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type AuditRow, listAuditRows } from "./store.ts";

/** Returns the list of the team's audit entries that the filter names, newest first. */
export function listAuditEntries(
  { services, teamId }: TeamContext,
  { actor, action, from, to }: Pick<AuditQuery, "actor" | "action" | "from" | "to">,
): RecordList<AuditRow> {
  return {
    name: "entries",
    cursorShape: ["number"],
    read: (part) => listAuditRows(services.knex, teamId, { actor, action, from, to, ...part }),
    textOf: ({ key: _, ...entry }) => JSON.stringify(z.encode(auditEntrySchema, entry)),
    cursorOf: ({ key }) => [key],
  };
}
