/** The capacity of locations as the API answers it: what checks demand there, and which share of the runners that takes. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { checkTypes } from "../checks/registry.ts";
import { checkLocationsSchema, frequencySecondsSchema } from "../resources/check.ts";
import { allRuns, type Demand } from "./demand.ts";
import { SHARE_REASONS, type Share } from "./share.ts";

/** Bounds of previews: changes of one, locations in all of them, and new checks that one change stands for. */
export const CAPACITY_PREVIEW_LIMITS = {
  changesMax: 2_000,
  locationsMax: 20_000,
  countMax: 100_000,
} as const;
/** Checks that are listed of those that take most of a location. */
export const LARGEST_CHECKS_MAX = 10;

const amountSchema = z.number().min(0);

const figures = {
  runners: z
    .int()
    .min(0)
    .nullable()
    .describe(
      "Connected runners that take new runs; null at hosted locations, whose runners are the service's.",
    ),
  runsPerHour: amountSchema.describe("Runs of the team's enabled checks."),
  browserSecondsPerHour: amountSchema.describe("Time that these runs have a browser, seconds."),
  shareBasisPoints: z
    .int()
    .min(0)
    .nullable()
    .describe(
      "Share of what the runners can do that is taken; 10000: all. At hosted locations what other teams take is part of it, rounded to a tenth.",
    ),
  reason: z.enum(SHARE_REASONS).nullable().describe("Why there is no share."),
};

/** Schema of the figures of a location, as answers and published plans have them. */
const capacityFiguresSchema = closedObject(figures);
/** Demand of checks at a location, and the share of its runners that it takes. */
export type CapacityFigures = z.infer<typeof capacityFiguresSchema>;

/** Schema of a location's capacity. */
const locationCapacitySchema = z
  .object({
    locationId: idSchema("location"),
    name: z.string().describe("The location's display name."),
    ...figures,
    warning: z.string().nullable().describe("A sentence, when more than 80 % are taken."),
  })
  .meta({ id: "LocationCapacity" });
/** The capacity of a location. */
export type LocationCapacity = z.infer<typeof locationCapacitySchema>;

/** Schema of the answer about all locations. */
export const capacitySchema = z
  .object({ asOf: timestampSchema, locations: z.array(locationCapacitySchema) })
  .meta({ id: "Capacity" });

/** Schema of the answer about one location. */
export const capacityOfLocationSchema = z
  .object({
    location: locationCapacitySchema,
    largest: z
      .array(
        z.object({
          checkId: idSchema("check"),
          name: z.string(),
          type: z.enum(checkTypes.types),
          runsPerHour: amountSchema,
          browserSecondsPerHour: amountSchema,
          runSeconds: amountSchema.describe("Expected time that a run takes."),
          isMeasured: z
            .boolean()
            .describe("False: no run of the last day was measured here; the time is a typical one."),
          shareBasisPoints: z.int().min(0).nullable(),
        }),
      )
      .describe(`The checks of the team that take most, at most ${LARGEST_CHECKS_MAX}.`),
  })
  .meta({ id: "CapacityOfLocation" });
/** The capacity of a location with the checks that take most of it. */
export type CapacityOfLocation = z.infer<typeof capacityOfLocationSchema>;

const checkAfterSchema = closedObject({
  type: z.enum(checkTypes.types),
  runKind: z
    .string()
    .max(64)
    .optional()
    .describe("Of a browser check its `browserMode`: a script takes more than a URL."),
  frequencySeconds: frequencySecondsSchema,
  locations: checkLocationsSchema,
  enabled: z.boolean().default(true),
});

const changeSchema = closedObject({
  checkId: z.string().min(1).max(128).optional().describe("The check that changes; absent: a new one."),
  after: checkAfterSchema.nullable().describe("The check as it will be; null: it is deleted."),
  count: z
    .int()
    .min(1, "smallest is 1")
    .max(CAPACITY_PREVIEW_LIMITS.countMax, `largest is ${CAPACITY_PREVIEW_LIMITS.countMax}`)
    .default(1)
    .describe("Number of new checks that this one stands for."),
})
  .refine(({ checkId, after }) => checkId !== undefined || after !== null, {
    path: ["checkId"],
    message: "required where after is null",
  })
  .refine(({ checkId, count }) => checkId === undefined || count === 1, {
    path: ["count"],
    message: "1 for a check that exists",
  });
/** A change of one check, or some equal new ones, as a preview takes it. */
export type CapacityChange = z.infer<typeof changeSchema>;

/** Body of POST /api/capacity/preview. */
export const previewCapacitySchema = closedObject({
  changes: z
    .array(changeSchema)
    .max(CAPACITY_PREVIEW_LIMITS.changesMax, `at most ${CAPACITY_PREVIEW_LIMITS.changesMax} changes`)
    .refine(
      (changes) =>
        changes.reduce((sum, { after }) => sum + (after?.locations.length ?? 0), 0) <=
        CAPACITY_PREVIEW_LIMITS.locationsMax,
      `at most ${CAPACITY_PREVIEW_LIMITS.locationsMax} locations in all changes together`,
    ),
});

/** Schema of what changes do to a location, as answers and published plans have it. */
export const capacityStepSchema = closedObject({
  locationId: z.string().max(128),
  name: z.string().max(600).describe("The location's display name."),
  before: capacityFiguresSchema,
  after: capacityFiguresSchema,
});
/** Capacity of a location before and after changes. */
export type CapacityStep = z.infer<typeof capacityStepSchema>;

/** Schema of the answer to a preview. */
export const capacityPreviewSchema = z
  .object({
    locations: z.array(capacityStepSchema).describe("The locations that the changes touch."),
    warnings: z
      .array(
        z.object({
          locationId: idSchema("location"),
          shareBasisPoints: z.int(),
          sentence: z.string(),
        }),
      )
      .describe("Those among them of which more than 80 % would be taken."),
  })
  .meta({ id: "CapacityPreview" });
/** Capacity of the locations that changes touch, before and after. */
export type CapacityPreview = z.infer<typeof capacityPreviewSchema>;

/** Returns the figures of a demand. @param runners connected runners; null where they are not the team's own */
export function figuresOf(demand: Demand, share: Share, runners: number | null): CapacityFigures {
  return {
    runners,
    runsPerHour: hundredths(allRuns(demand)),
    browserSecondsPerHour: hundredths(demand.browserUs),
    shareBasisPoints: share.shareBasisPoints,
    reason: share.reason,
  };
}

/** Returns millionths as a number of hundredths. */
function hundredths(millionths: number): number {
  return Math.round(millionths / 10_000) / 100;
}
