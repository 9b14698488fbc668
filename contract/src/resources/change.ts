/** The change log: who changed which resource. Entries are only ever added. */
import * as z from "zod";
import { cursorQuery, limitQuery, offsetQuery } from "../base/list-page.ts";
import { timeRangeQuery } from "../base/time-range-query.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Actions that the change log records. */
const CHANGE_ACTIONS = ["created", "updated", "deleted"] as const;
/** Action of an entry of the change log. */
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** Kinds of resources whose changes are logged. */
const CHANGE_TYPES = [
  "check",
  "alert",
  "slo",
  "channel",
  "location",
  "runner_key",
  "api_key",
  "maintenance_window",
  "spec",
  "telemetry",
  "secret",
  "third_party_pattern",
  "alert_policy",
  "incident_policy",
  "rota",
  "status_page",
  "status_notice",
  "report_subscription",
] as const;
/** Type of a resource whose changes are logged. */
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** Sources of a change. ui: a person in the dashboard; yaml: a deploy of the command line; api: any other key. */
export const CHANGE_SOURCES = ["ui", "yaml", "api"] as const;
/** Source of a change. */
export type ChangeSource = (typeof CHANGE_SOURCES)[number];

/** Schema of a field before and after its change. A secret value is masked on both sides and marked. */
const changedFieldSchema = z.object({
  field: z.string(),
  oldValue: z.unknown(),
  newValue: z.unknown(),
  redacted: z.literal(true).optional(),
  truncated: z
    .literal(true)
    .optional()
    .describe("The values are too long to be kept: they are their beginnings, as text."),
});
/** One changed field with its values before and after; secrets are masked. */
export type ChangedField = z.infer<typeof changedFieldSchema>;

/** Schema of an entry of the change log. */
export const changeSchema = z
  .object({
    id: z.string(),
    action: z.enum(CHANGE_ACTIONS),
    type: z.enum(CHANGE_TYPES),
    resourceId: z.string(),
    name: z.string().nullable(),
    source: z.enum(CHANGE_SOURCES),
    actor: z.string().nullable().describe("Id of the user or API key; null: the service itself."),
    actorName: z
      .string()
      .nullable()
      .describe(
        "Email address of the user, name of the key; null: the service itself, or nobody known any more.",
      ),
    changedFields: z.array(changedFieldSchema).describe("Of updates."),
    createdAt: timestampSchema,
  })
  .meta({ id: "Change" });
/** One entry of the change log. */
export type Change = z.infer<typeof changeSchema>;

/** Schema of the query of the change log. */
export const changesQuerySchema = z.object({
  type: z.enum(CHANGE_TYPES).optional(),
  name: z.string().max(255).optional().describe("A part of the resource's name, in any case."),
  source: z.enum(CHANGE_SOURCES).optional(),
  resourceId: z.string().max(100).optional().describe("Only changes of this record."),
  ...timeRangeQuery,
  limit: limitQuery,
  offset: offsetQuery,
  cursor: cursorQuery,
});
/** Query of GET /api/changes. */
export type ChangesQuery = z.infer<typeof changesQuerySchema>;
