/** Notices of status pages: incidents and maintenance in the words of people. Everything in them is public. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { statusComponentNameSchema } from "./status-page.ts";

/** Kinds of notices. incident: something is wrong; maintenance: work that is planned. */
export const NOTICE_KINDS = ["incident", "maintenance"] as const;
/** Kind of a notice. */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** States in which an incident's notice shows its components, whatever is measured. */
export const NOTICE_IMPACTS = ["none", "degraded", "outage"] as const;
/** State in which an incident's notice shows its components. */
export type NoticeImpact = (typeof NOTICE_IMPACTS)[number];

/** Statuses that an update of each kind of notice may have; the first is that of a new notice, the last ends it. */
export const NOTICE_STATUSES = {
  incident: ["investigating", "identified", "monitoring", "resolved"],
  maintenance: ["scheduled", "in_progress", "completed"],
} as const satisfies Record<NoticeKind, readonly string[]>;
const statusSchema = z.enum([...NOTICE_STATUSES.incident, ...NOTICE_STATUSES.maintenance]);
/** Status of an update of a notice. */
export type NoticeStatus = z.infer<typeof statusSchema>;

/** Most updates of a notice. */
export const NOTICE_UPDATES_MAX = 100;

const titleSchema = nameSchema({ charactersMax: 200, isTrimmed: true }).refine(
  (title) => !/[\p{Cc}\u2028\u2029]/u.test(title),
  "a title is one line, without line breaks and control characters",
);
const textSchema = z
  .string()
  .trim()
  .min(1, "a text has at least 1 character")
  .max(5_000, "a text has at most 5000 characters")
  .describe("Public, as plain text.");
const componentsSchema = z
  .array(statusComponentNameSchema)
  .max(50, "at most 50 components")
  .superRefine(uniqueItems)
  .describe("Names of the page's components that it concerns.");
const impactSchema = z
  .enum(NOTICE_IMPACTS)
  .describe(
    "Of an incident: the state that its components show at least while it lasts. Maintenance has none.",
  );
const instantSchema = z.iso.datetime({
  offset: true,
  error: 'expected an ISO 8601 instant with Z or an offset, e.g. "2026-11-21T22:00:00Z"',
});

const readOnlyFields = {
  id: readOnlyField,
  isActive: readOnlyField,
  updates: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/status-pages/:id/notices. */
export const createStatusNoticeSchema = closedObject({
  kind: z.enum(NOTICE_KINDS),
  title: titleSchema,
  impact: impactSchema.optional(),
  components: componentsSchema.default([]),
  startsAt: instantSchema.optional().describe("Required for maintenance; default for an incident: now."),
  endsAt: instantSchema
    .nullable()
    .optional()
    .describe("Required for maintenance. Of an incident that lasts: null, which is the default."),
  status: statusSchema
    .optional()
    .describe("Of the first update; default `investigating` for an incident, `scheduled` for maintenance."),
  text: textSchema.describe("Text of the first update."),
  ...readOnlyFields,
}).superRefine((notice, context) => {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (notice.kind === "maintenance") {
    if (notice.impact !== undefined)
      refuse("impact", "maintenance has no impact: its components show maintenance");
    if (notice.startsAt === undefined) refuse("startsAt", "required for maintenance");
    if (!notice.endsAt) refuse("endsAt", "required for maintenance");
  }
  if (notice.status !== undefined && !isStatusOf(notice.kind, notice.status))
    refuse("status", statusMessage(notice.kind));
});
/** Body of the request that creates a notice. */
export type CreateStatusNotice = z.infer<typeof createStatusNoticeSchema>;

/** Body of PUT /api/status-pages/:id/notices/:noticeId: any part. Updates are added by a route of their own. */
export const updateStatusNoticeSchema = closedObject({
  kind: z.enum(NOTICE_KINDS).optional().describe("That of the notice: it can't change."),
  title: titleSchema.optional(),
  impact: impactSchema.nullable().optional(),
  components: componentsSchema.optional(),
  startsAt: instantSchema.optional(),
  endsAt: instantSchema.nullable().optional(),
  ...readOnlyFields,
});
/** Body of the request that changes a notice. Absent fields stay as they are. */
export type UpdateStatusNotice = z.infer<typeof updateStatusNoticeSchema>;

/** Body of POST /api/status-pages/:id/notices/:noticeId/updates. */
export const addNoticeUpdateSchema = closedObject({ status: statusSchema, text: textSchema });
/** Body of the request that adds an update to a notice. */
export type AddNoticeUpdate = z.infer<typeof addNoticeUpdateSchema>;

/** Schema of one update of a notice. */
export const noticeUpdateSchema = z.object({ status: statusSchema, text: z.string(), at: timestampSchema });
/** One update of a notice. */
export type NoticeUpdate = z.infer<typeof noticeUpdateSchema>;

/** Schema of the components of a notice: names, which may be of components that the page had. */
export const componentsOfNoticeSchema = z.array(z.string());

/** Schema of a notice. */
export const statusNoticeSchema = z
  .object({
    id: idSchema("statusNotice"),
    kind: z.enum(NOTICE_KINDS),
    title: z.string(),
    impact: z.enum(NOTICE_IMPACTS).nullable().describe("null: of maintenance."),
    components: componentsOfNoticeSchema,
    startsAt: timestampSchema,
    endsAt: timestampSchema.nullable().describe("null: an incident that lasts."),
    isActive: z.boolean().describe("Whether it has begun and not ended."),
    updates: z.array(noticeUpdateSchema).describe("The newest first."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "StatusNotice" });
/** An incident or maintenance in the words of people. */
export type StatusNotice = z.infer<typeof statusNoticeSchema>;

/** True when an update of this kind of notice may have the status. */
export function isStatusOf(kind: NoticeKind, status: NoticeStatus): boolean {
  const statuses: readonly string[] = NOTICE_STATUSES[kind];
  return statuses.includes(status);
}

/** Returns the message about a status that the kind of notice does not have. */
export function statusMessage(kind: NoticeKind): string {
  return `an update of ${kind === "incident" ? "an incident" : "maintenance"} has one of ${NOTICE_STATUSES[kind].join(", ")}`;
}
