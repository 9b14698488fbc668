/**
 * A monitor in svc.config.yaml: a check whose type's fields stand beside the common ones. No field has a default here,
 * because an absent field is inherited.
 */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import {
  type CheckTypeMember,
  checkTypes,
  type PushedCheckType,
  pushedTraitsOf,
} from "../checks/registry.ts";
import { retrySchema } from "../checks/retry.ts";
import { checkLocationsSchema, checkNameSchema, DEPENDS_ON_MAX } from "../resources/check.ts";
import { setLabelsSchema } from "../resources/labels.ts";
import { configAlertsSchema } from "./alert.ts";
import { configFrequencySchema } from "./fields.ts";

/** Schemas of the fields that cascade: a monitor overrides its group, a group overrides `defaults`. */
const cascadingFields = {
  frequency: configFrequencySchema.optional(),
  locations: checkLocationsSchema.optional(),
  alerts: configAlertsSchema.optional(),
};

const commonFields = {
  name: checkNameSchema,
  ...cascadingFields,
  labels: setLabelsSchema.shape.labels
    .optional()
    .describe("The full set; an empty list clears it; left out, the labels stay as they are."),
  enabled: z.boolean().optional(),
  retry: retrySchema.nullable().optional(),
  dependsOn: z
    .array(checkNameSchema)
    .max(DEPENDS_ON_MAX, `at most ${DEPENDS_ON_MAX} monitors`)
    .superRefine(uniqueItems)
    .optional()
    .describe(
      "Names of monitors that this one can't work without, or ids of checks beyond this config: while one of them fails, alerts of this one are held back.",
    ),
  renamedFrom: checkNameSchema
    .optional()
    .describe("The name it was deployed under before: the check and its history are kept."),
};

const { frequency: _frequency, locations: _locations, retry: _retry, ...pushedFields } = commonFields;

/** Hints for the common fields that a pushed monitor has no use for. */
const PUSHED_HINTS = {
  frequency: "a monitor that reports by itself is not probed: it has a period or cron",
  locations: "a monitor that reports by itself is probed from nowhere",
  retry: "a monitor that reports by itself is not probed, so nothing can be tried again",
};

function monitorSchemaOf(member: CheckTypeMember) {
  const isPushed = pushedTraitsOf(member.type) !== undefined;
  const fields = {
    ...(isPushed ? pushedFields : commonFields),
    type: z.literal(member.type),
    ...member.monitorFields,
  };
  return closedObject(fields, { ...(isPushed && PUSHED_HINTS), ...member.monitorHints });
}

type MonitorSchemaOf<Member extends CheckTypeMember> = Member extends {
  type: infer Type extends string;
  monitorFields: infer Fields extends z.ZodRawShape;
}
  ? z.ZodObject<
      (Type extends PushedCheckType ? typeof pushedFields : typeof commonFields) & {
        type: z.ZodLiteral<Type>;
      } & Fields,
      z.core.$strict
    >
  : never;

/** Schema of a monitor of any check type. */
export const configMonitorSchema = z.discriminatedUnion(
  "type",
  checkTypes.members.map(monitorSchemaOf) as [
    MonitorSchemaOf<CheckTypeMember>,
    ...MonitorSchemaOf<CheckTypeMember>[],
  ],
);
/** One monitor as the config describes it, before it inherits. */
export type ConfigMonitor = z.infer<typeof configMonitorSchema>;

/** Schema of a group of monitors, with the fields that they inherit. */
export const configGroupSchema = closedObject({
  name: checkNameSchema,
  ...cascadingFields,
  monitors: z.array(configMonitorSchema),
});
/** A group of monitors with the fields that they inherit. */
export type ConfigGroup = z.infer<typeof configGroupSchema>;

type InheritedSchemaOf<Fields extends z.ZodRawShape, Name> = z.ZodOptional<
  z.ZodObject<Pick<Fields, Extract<Name, keyof Fields>>, z.core.$strict>
>;

/** Schemas of the fields that all monitors of a type inherit, by type. Types without such fields are absent. */
type InheritedFields = {
  [Member in CheckTypeMember as Member["inheritedFields"][number] extends never
    ? never
    : Member["type"]]: InheritedSchemaOf<Member["monitorFields"], Member["inheritedFields"][number]>;
};

const inheritedFields = Object.fromEntries(
  checkTypes.members
    .filter((member) => member.inheritedFields.length > 0)
    .map(({ type, monitorFields, inheritedFields: names }) => [
      type,
      closedObject(picked(monitorFields, names)).optional(),
    ]),
) as InheritedFields;

/** Schema of `defaults`: fields that all monitors inherit, and per check type those of its monitors. */
export const configDefaultsSchema = closedObject({ ...cascadingFields, ...inheritedFields });
/** Fields that all monitors of the config inherit. */
export type ConfigDefaults = z.infer<typeof configDefaultsSchema>;

function picked(fields: z.ZodRawShape, names: readonly string[]): z.ZodRawShape {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
