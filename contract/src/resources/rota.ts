/** The rota resource: people who are on duty in turn. A step of the incident policy may name it instead of channels. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { WEEKDAYS } from "../base/rota-duty.ts";
import { timeOfDaySchema } from "../base/time-of-day-schema.ts";
import { instantQuery } from "../base/time-range-query.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { timezoneSchema } from "../base/timezone-schema.ts";
import { parseInstant } from "../base/zone.ts";
import { windowInstantSchema } from "./maintenance-window.ts";

const MEMBERS_MAX = 50;
const MEMBER_CHANNELS_MAX = 10;
const OVERRIDES_MAX = 100;
const EVERY_DAYS_MAX = 365;
const EVERY_HOURS_MAX = 168;
/** Longest time of which one answer tells who is on duty. */
export const SCHEDULE_DAYS_MAX = 92;
/** Time of which an answer tells when none is asked for. */
export const SCHEDULE_DAYS_DEFAULT = 14;

/** Schema of the name of a rota. */
export const rotaNameSchema = nameSchema({ charactersMax: 255 });

/** Schema of the name of a person of a rota. */
export const rotaMemberNameSchema = nameSchema({ charactersMax: 100 }).refine(
  (name) => name === "" || name.trim() !== "",
  "a name has more than spaces",
);

const timeField = timeOfDaySchema.describe("Time of the handover on the rota's wall clock, such as 09:00.");

/** Schema of when a rota is handed over to the next member. */
export const handoverSchema = z
  .discriminatedUnion("type", [
    closedObject({ type: z.literal("weekly"), weekday: z.enum(WEEKDAYS), time: timeField }),
    closedObject({
      type: z.literal("daily"),
      everyDays: z
        .int()
        .min(1, "smallest is 1")
        .max(EVERY_DAYS_MAX, `largest is ${EVERY_DAYS_MAX}`)
        .default(1)
        .describe("Calendar days of a turn."),
      time: timeField,
    }),
    closedObject({
      type: z.literal("hourly"),
      everyHours: z
        .int()
        .min(1, "smallest is 1")
        .max(EVERY_HOURS_MAX, `largest is ${EVERY_HOURS_MAX}`)
        .describe("Hours of a turn, counted from startsAt; a change of the clocks does not move them."),
    }),
  ])
  .describe("When the next member takes over.");
/** When a rota is handed over to the next member. */
export type Handover = z.infer<typeof handoverSchema>;

const memberSchema = closedObject({
  name: rotaMemberNameSchema.describe("Of the person; unique within the rota."),
  channelIds: z
    .array(idSchema("channel"))
    .min(1, "at least one channel")
    .max(MEMBER_CHANNELS_MAX, `at most ${MEMBER_CHANNELS_MAX} channels`)
    .superRefine(uniqueItems)
    .describe("Channels of the team by which the person is notified."),
});
/** A person of a rota, and the channels by which they are notified. */
export type RotaMember = z.infer<typeof memberSchema>;

const membersSchema = z
  .array(memberSchema)
  .min(1, "at least one member")
  .max(MEMBERS_MAX, `at most ${MEMBERS_MAX} members`)
  .superRefine((members, context) => {
    const seen = new Set<string>();
    for (const [i, { name }] of members.entries()) {
      if (seen.has(name))
        context.addIssue({
          code: "custom",
          path: [i, "name"],
          message: "there is another member of that name",
        });
      seen.add(name);
    }
  })
  .describe("In the order of their turns.");

/** Schema of an override: one member takes the place of whoever's turn it is. */
const rotaOverrideSchema = closedObject({
  from: windowInstantSchema.describe("ISO 8601; without an offset a wall time in the rota's zone."),
  to: windowInstantSchema.describe("First instant after it."),
  member: rotaMemberNameSchema.describe("Name of the member who is on duty instead."),
});
/** A time in which one member takes the place of whoever's turn it is. */
export type RotaOverride = z.infer<typeof rotaOverrideSchema>;

const overridesSchema = z
  .array(rotaOverrideSchema)
  .max(OVERRIDES_MAX, `at most ${OVERRIDES_MAX} overrides`)
  .describe("They do not overlap one another. Those that are over may be dropped.");

const startsAtSchema = windowInstantSchema.describe(
  "The turn of this instant is the first member's. ISO 8601; without an offset a wall time in the rota's zone.",
);

const readOnlyFields = {
  id: readOnlyField,
  onDuty: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/rotas. The service checks that overrides name members and do not overlap. */
export const createRotaSchema = closedObject({
  name: rotaNameSchema.describe("Unique within the team."),
  timezone: timezoneSchema.default("UTC"),
  startsAt: startsAtSchema,
  handover: handoverSchema,
  members: membersSchema,
  overrides: overridesSchema.default([]),
  ...readOnlyFields,
});
/** Body of the request that creates a rota, defaults filled in. */
export type CreateRota = z.infer<typeof createRotaSchema>;

/** Body of PUT /api/rotas/:id: any part of a rota; lists replace the stored ones. */
export const updateRotaSchema = closedObject({
  name: rotaNameSchema.optional(),
  timezone: timezoneSchema.optional(),
  startsAt: startsAtSchema.optional(),
  handover: handoverSchema.optional(),
  members: membersSchema.optional(),
  overrides: overridesSchema.optional(),
  ...readOnlyFields,
});
/** Body of the request that changes a rota. Absent fields stay as they are. */
export type UpdateRota = z.infer<typeof updateRotaSchema>;

/** Schema of a time in which one member is on duty. */
export const rotaDutySchema = z
  .object({
    member: z.string(),
    from: timestampSchema,
    to: timestampSchema.describe("First instant after it."),
    isOverride: z.boolean().describe("True: an override says so, not the turn."),
  })
  .meta({ id: "RotaDuty" });
/** A time in which one member of a rota is on duty. */
export type RotaDuty = z.infer<typeof rotaDutySchema>;

/** Schema of a rota as the API answers it. Instants are in UTC. */
export const rotaSchema = z
  .object({
    id: idSchema("rota"),
    name: z.string(),
    timezone: z.string(),
    startsAt: timestampSchema,
    handover: z.union([
      z.object({ type: z.literal("weekly"), weekday: z.enum(WEEKDAYS), time: z.string() }),
      z.object({ type: z.literal("daily"), everyDays: z.number(), time: z.string() }),
      z.object({ type: z.literal("hourly"), everyHours: z.number() }),
    ]),
    members: z.array(z.object({ name: z.string(), channelIds: z.array(idSchema("channel")) })),
    overrides: z.array(z.object({ from: timestampSchema, to: timestampSchema, member: z.string() })),
    onDuty: rotaDutySchema.describe("Who is on duty now."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "Rota" });
/** People who are on duty in turn. */
export type Rota = z.infer<typeof rotaSchema>;

/** Schema of the query of a rota's schedule. */
export const rotaScheduleQuerySchema = z.object({
  from: instantQuery.describe("Begin of the time that is asked for; by default now."),
  to: instantQuery.describe(
    `End of it, at most ${SCHEDULE_DAYS_MAX} days after from; by default ${SCHEDULE_DAYS_DEFAULT} days after it.`,
  ),
});

/** The parts of a rota that decide whether its overrides are possible. */
type RotaToJudge = Pick<CreateRota, "timezone" | "overrides"> & { members: readonly { name: string }[] };

/**
 * Returns why overrides are not possible, each with its path in the rota: unknown members, and times that end too early or
 * overlap. Of an override whose times are no instants only the member is judged.
 * @param rota its time zone is valid
 */
export function refuseOverrides({ timezone, members, overrides }: RotaToJudge): {
  path: [string, number, string];
  message: string;
}[] {
  const names = new Set(members.map(({ name }) => name));
  const spans = overrides.map(({ from, to }) => ({
    fromMs: parseInstant(from, timezone),
    toMs: parseInstant(to, timezone),
  }));
  return overrides.flatMap(({ member }, i) => {
    const span = spans[i];
    if (!names.has(member))
      return [{ path: ["overrides", i, "member"], message: `there is no member "${member}"` }];
    if (!span || Number.isNaN(span.fromMs) || Number.isNaN(span.toMs)) return [];
    if (span.toMs <= span.fromMs) return [{ path: ["overrides", i, "to"], message: "has to be after from" }];
    const other = spans.findIndex((one, j) => j < i && one.fromMs < span.toMs && one.toMs > span.fromMs);
    if (other >= 0) return [{ path: ["overrides", i, "from"], message: `overlaps overrides[${other}]` }];
    return [];
  });
}
