/** The check resource: a watched target with its frequency and locations. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import {
  FREQUENCY_SECONDS_DEFAULT,
  FREQUENCY_SECONDS_MAX,
  FREQUENCY_SECONDS_MIN,
} from "../base/slot-grid.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { frequencySecondsOf, PUSH_LOCATION_ID } from "../checks/pushed.ts";
import {
  type CheckTypeMember,
  checkTypes,
  type PushedCheckType,
  pushedTraitsOf,
} from "../checks/registry.ts";
import { retrySchema } from "../checks/retry.ts";

/** Schema of the name of a check. */
export const checkNameSchema = nameSchema({ charactersMax: 255 });

/** Schema of the frequency of a check. */
export const frequencySecondsSchema = z
  .int("expected a whole number of seconds")
  .min(FREQUENCY_SECONDS_MIN, `smallest is ${FREQUENCY_SECONDS_MIN}`)
  .max(FREQUENCY_SECONDS_MAX, `largest is ${FREQUENCY_SECONDS_MAX}`);

/** Schema of location ids: at least one, none twice. The service checks that the locations exist. */
export const checkLocationsSchema = z
  .array(z.string().min(1).max(128))
  .min(1, "at least one location")
  .max(100, "at most 100 locations")
  .superRefine(uniqueItems);

/** Most checks that one check may depend on by itself; those depend on others again. */
export const DEPENDS_ON_MAX = 10;

/** Most checks that one check may depend on, directly and through others. */
export const DEPENDENCIES_MAX = 100;

/** Schema of the ids of the checks that a check depends on. The service checks that they exist, and that none is its own cause. */
const dependsOnSchema = z
  .array(idSchema("check"))
  .max(DEPENDS_ON_MAX, `at most ${DEPENDS_ON_MAX} checks`)
  .superRefine(uniqueItems)
  .describe(
    `Checks of the team that this one can't work without: while one of them fails, alerts of this check are held back. With those that these depend on again, they are ${DEPENDENCIES_MAX} at most.`,
  );

const readOnlyFields = {
  id: readOnlyField,
  teamId: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
  locationNotices: readOnlyField,
  pushUrl: readOnlyField,
};

const commonCreateFields = {
  name: checkNameSchema,
  enabled: z.boolean().default(true),
  frequencySeconds: frequencySecondsSchema.default(FREQUENCY_SECONDS_DEFAULT),
  locations: checkLocationsSchema,
  retry: retrySchema.nullable().default(null),
  dependsOn: dependsOnSchema.default([]),
  ...readOnlyFields,
};

/** Schema of the locations of a pushed check: there is one, which nobody has to name. */
export const pushLocationsSchema = z
  .array(z.string().max(128))
  .refine((ids) => ids.length === 1 && ids[0] === PUSH_LOCATION_ID, {
    error: `a check that reports by itself has the location ${PUSH_LOCATION_ID} and no other; leave the field out`,
  });

/** Fields of a pushed check: the common ones as far as they say something about it. */
const pushedCreateFields = {
  ...commonCreateFields,
  frequencySeconds: frequencySecondsSchema
    .optional()
    .describe("Follows from the configuration; refused when it differs."),
  locations: pushLocationsSchema.default([PUSH_LOCATION_ID]),
  retry: z.null("a check that reports by itself is not probed, so nothing can be tried again").default(null),
};

/** Returns the messages about a configuration under a key that the type does not take, by key. */
function configHints({ type, configKey }: CheckTypeMember): Record<string, string> {
  const others = checkTypes.members.map((member) => member.configKey).filter((key) => key !== configKey);
  const hint = `a check of type ${type} takes "${configKey}"`;
  return Object.fromEntries(["configJson", ...others].map((key) => [key, hint]));
}

function createSchemaOf(member: CheckTypeMember) {
  const fields = {
    ...(pushedTraitsOf(member.type) ? pushedCreateFields : commonCreateFields),
    type: z.literal(member.type),
    [member.configKey]: member.configSchema,
  };
  return closedObject(fields, configHints(member));
}

/** Type of the schema of the body that creates a check of one type. */
type CreateSchemaOf<Member extends CheckTypeMember> = Member extends CheckTypeMember
  ? z.ZodObject<
      (Member["type"] extends PushedCheckType ? typeof pushedCreateFields : typeof commonCreateFields) & {
        type: z.ZodLiteral<Member["type"]>;
      } & {
        [Key in Member["configKey"]]: Member["configSchema"];
      },
      z.core.$strict
    >
  : never;

/** Body of POST /api/checks: common fields and exactly one configuration, under the key that belongs to the type. */
export const createCheckSchema = z.discriminatedUnion(
  "type",
  checkTypes.members.map(createSchemaOf) as [
    CreateSchemaOf<CheckTypeMember>,
    ...CreateSchemaOf<CheckTypeMember>[],
  ],
);
/** Body of the request that creates a check of any type, defaults filled in. */
export type CreateCheck = z.infer<typeof createCheckSchema>;

function updateHints(): Record<string, string> {
  return Object.fromEntries(
    checkTypes.members.map(({ configKey }) => [
      configKey,
      'an update takes the whole configuration as "configJson"',
    ]),
  );
}

/**
 * Body of PUT /api/checks/:id: any part. `configJson` replaces the whole configuration and is validated by the schema of
 * the check's type, which does not change.
 */
export const updateCheckSchema = closedObject(
  {
    name: checkNameSchema.optional(),
    configJson: z.record(z.string(), z.unknown()).optional(),
    frequencySeconds: frequencySecondsSchema.optional(),
    locations: checkLocationsSchema.optional(),
    enabled: z.boolean().optional(),
    retry: retrySchema.nullable().optional(),
    dependsOn: dependsOnSchema.optional(),
    type: z
      .enum(checkTypes.types)
      .optional()
      .describe("Can't be changed; accepted when it is the check's own."),
    ...readOnlyFields,
  },
  updateHints(),
);
/** Body of the request that changes a check. Absent fields stay as they are. */
export type UpdateCheck = z.infer<typeof updateCheckSchema>;

/** Schema of what is to be known of a check's location that is deprecated or retired. */
const locationNoticeSchema = z
  .object({
    locationId: idSchema("location"),
    status: z.enum(["deprecated", "retired"]),
    replacedBy: idSchema("location")
      .nullable()
      .describe("Where to go; null: the operator names no successor."),
    message: z.string(),
  })
  .meta({ id: "LocationNotice" });
/** A notice that a location of a check is deprecated or retired, with its successor. */
export type LocationNotice = z.infer<typeof locationNoticeSchema>;

/** Schema of a check as the API answers it. */
export const checkSchema = z
  .object({
    id: idSchema("check"),
    teamId: idSchema("team"),
    name: z.string(),
    type: z.enum(checkTypes.types),
    configJson: z.record(z.string(), z.unknown()),
    frequencySeconds: z.number(),
    locations: z.array(z.string()),
    enabled: z.boolean(),
    retry: retrySchema.nullable(),
    dependsOn: z
      .array(idSchema("check"))
      .optional()
      .describe("Checks that this one can't work without; absent when there are none."),
    locationNotices: z
      .array(locationNoticeSchema)
      .optional()
      .describe(
        "In reads and lists: those of its locations that are deprecated or retired; absent when none is.",
      ),
    pushUrl: z
      .string()
      .optional()
      .describe(
        "Of a check that reports by itself: the URL to report to. Whoever knows it can report; it is masked as other credentials are.",
      ),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "Check" });
/** A check with its configuration, credentials masked. */
export type Check = z.infer<typeof checkSchema>;

/** Schema of a check without its configuration, as lists answer it on request. */
export const checkSummarySchema = checkSchema
  .omit({ configJson: true, pushUrl: true })
  .meta({ id: "CheckSummary" });
/** A check without its configuration. */
export type CheckSummary = z.infer<typeof checkSummarySchema>;

/** Returns the configuration of a body that creates a check, from the key that belongs to the check's type. */
export function configOf(body: CreateCheck): Record<string, unknown> {
  const byKey: Record<string, unknown> = body;
  return byKey[checkTypes.get(body.type).configKey] as Record<string, unknown>;
}

/** Returns the frequency that the configuration of a pushed check leads to; undefined for a type that is probed. */
export function pushedFrequencySeconds(
  type: string,
  config: Readonly<Record<string, unknown>>,
): number | undefined {
  const traits = pushedTraitsOf(type);
  return traits && frequencySecondsOf(traits.expectationOf(config));
}
