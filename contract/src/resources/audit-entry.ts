/** The audit log: who got or used access to a team's records, from where and by what way. Entries are only ever added. */
import * as z from "zod";
import { pageQuerySchema } from "../base/list-page.ts";
import { timeRangeQuery } from "../base/time-range-query.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { auditActions } from "../events/audit.ts";

/**
 * Kinds of actors. user: a person who is signed in; api_key: a key of the team; display_link: a screen that shows the wall; operator: a command of the operator, or the
 * first start of the service; unknown: somebody who has not proved who they are.
 */
const ACTOR_KINDS = ["user", "api_key", "display_link", "operator", "unknown"] as const;
/** Kind of the actor of an audited action. */
export type AuditActorKind = (typeof ACTOR_KINDS)[number];

/**
 * Ways by which an action came in. ui: a browser; cli: the command line; key: another program; operator: the operator's
 * command.
 */
const AUDIT_WAYS = ["ui", "cli", "key", "operator"] as const;
/** Way by which an audited action came in. */
export type AuditWay = (typeof AUDIT_WAYS)[number];

/** Schema of an entry of the audit log. */
export const auditEntrySchema = z
  .object({
    id: z.string(),
    action: z.enum(auditActions.types),
    actor: z
      .string()
      .nullable()
      .describe("Id of the user, API key or display link; null: the operator, or nobody known."),
    actorKind: z.enum(ACTOR_KINDS),
    actorName: z
      .string()
      .nullable()
      .describe(
        "At that time: email address of the user, name of the key or link, account and host of the operator.",
      ),
    via: z.enum(AUDIT_WAYS),
    address: z.string().nullable().describe("IP address that the request came from."),
    userAgent: z.string().nullable().describe("The beginning of the request's User-Agent."),
    resourceId: z.string().nullable().describe("Id of the key, person or other record that it concerns."),
    resourceName: z.string().nullable().describe("Its name at that time; a person's is the email address."),
    detail: z.record(z.string(), z.string()).describe("Further facts of the action."),
    createdAt: timestampSchema,
  })
  .meta({ id: "AuditEntry" });
/** One entry of the audit log. */
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** Returns the record that an entry concerns, with the further facts of the action: `pat@example.com role=viewer`. */
export function subjectOf({
  resourceName,
  resourceId,
  detail,
}: Pick<AuditEntry, "resourceName" | "resourceId" | "detail">): string {
  const facts = Object.entries(detail).map(([name, value]) => `${name}=${value}`);
  return [resourceName ?? resourceId ?? "", ...facts].join(" ").trim();
}

/** Schema of the query of the audit log. */
export const auditQuerySchema = z.object({
  actor: z.string().max(320).optional().describe("Id of the actor, or its name in any case."),
  action: z.enum(auditActions.types).optional(),
  ...timeRangeQuery,
  ...pageQuerySchema.shape,
});
/** Query of GET /api/audit. */
export type AuditQuery = z.infer<typeof auditQuerySchema>;
