/** A rota in svc.config.yaml: the fields of the API, with names of channels instead of ids. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { timezoneSchema } from "../base/timezone-schema.ts";
import { createRotaSchema, refuseOverrides, rotaMemberNameSchema } from "../resources/rota.ts";
import { channelReferencesSchema } from "./fields.ts";

const { name, timezone, startsAt, handover, members, overrides } = withoutDefaults(createRotaSchema.shape);
const CHANNELS_MAX = 10;

const configMembersSchema = z
  .array(
    closedObject({
      name: rotaMemberNameSchema,
      channels: channelReferencesSchema
        .min(1, "at least one channel")
        .max(CHANNELS_MAX, `at most ${CHANNELS_MAX} channels`)
        .superRefine(uniqueItems)
        .describe("Channels by which the person is notified, as @name."),
    }),
  )
  .superRefine((list, context) => {
    // A name that is none has an issue of its own.
    if (list.some((one) => !rotaMemberNameSchema.safeParse(one.name).success)) return;
    // By the same rules as the API's list: numbers of members, names that are unique.
    const ofApi = members.safeParse(list.map((one) => ({ name: one.name, channelIds: ["x"] })));
    for (const issue of ofApi.error?.issues ?? [])
      context.addIssue({ code: "custom", path: issue.path, message: issue.message });
  })
  .describe("In the order of their turns.");

/** Schema of a rota in svc.config.yaml. */
export const configRotaSchema = closedObject({
  name,
  timezone,
  startsAt,
  handover,
  members: configMembersSchema,
  overrides,
}).superRefine((rota, context) => {
  for (const issue of refuseOverrides({
    ...rota,
    // A zone that is none has an issue of its own.
    timezone: timezoneSchema.safeParse(rota.timezone).data ?? "UTC",
    overrides: rota.overrides ?? [],
  }))
    context.addIssue({ code: "custom", ...issue });
});
/** A rota in svc.config.yaml. */
export type ConfigRota = z.infer<typeof configRotaSchema>;
