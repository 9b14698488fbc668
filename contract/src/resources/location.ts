/** Locations: where checks run from. Hosted locations come with the service, private ones belong to a team. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { keyNameSchema } from "../base/key-name.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { DAY_MS } from "../base/time.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Hosted locations with which the database is seeded. Coordinates are those of the region's metropolis, for maps. */
export const HOSTED_LOCATIONS = [
  {
    id: "loc_us_east",
    name: "us-east",
    displayName: "US East (Virginia)",
    latitude: 38.95,
    longitude: -77.45,
  },
  {
    id: "loc_us_south",
    name: "us-south",
    displayName: "US South (Texas)",
    latitude: 32.78,
    longitude: -96.8,
  },
  {
    id: "loc_us_west",
    name: "us-west",
    displayName: "US West (Oregon)",
    latitude: 45.59,
    longitude: -121.18,
  },
  {
    id: "loc_na_north",
    name: "na-north",
    displayName: "North America North (Montreal)",
    latitude: 45.5,
    longitude: -73.57,
  },
  {
    id: "loc_sa_east",
    name: "sa-east",
    displayName: "South America East (São Paulo)",
    latitude: -23.55,
    longitude: -46.63,
  },
  { id: "loc_eu_west", name: "eu-west", displayName: "EU West (Ireland)", latitude: 53.35, longitude: -6.26 },
  {
    id: "loc_eu_west_2",
    name: "eu-west-2",
    displayName: "EU West 2 (London)",
    latitude: 51.51,
    longitude: -0.13,
  },
  {
    id: "loc_eu_central",
    name: "eu-central",
    displayName: "EU Central (Frankfurt)",
    latitude: 50.11,
    longitude: 8.68,
  },
  {
    id: "loc_eu_north",
    name: "eu-north",
    displayName: "EU North (Stockholm)",
    latitude: 59.33,
    longitude: 18.07,
  },
  {
    id: "loc_ap_southeast",
    name: "ap-southeast",
    displayName: "Asia Pacific Southeast (Singapore)",
    latitude: 1.35,
    longitude: 103.82,
  },
  {
    id: "loc_ap_northeast",
    name: "ap-northeast",
    displayName: "Asia Pacific Northeast (Tokyo)",
    latitude: 35.68,
    longitude: 139.69,
  },
  {
    id: "loc_ap_south",
    name: "ap-south",
    displayName: "Asia Pacific South (Mumbai)",
    latitude: 19.08,
    longitude: 72.88,
  },
  {
    id: "loc_ap_oceania",
    name: "ap-oceania",
    displayName: "Asia Pacific Oceania (Sydney)",
    latitude: -33.87,
    longitude: 151.21,
  },
  {
    id: "loc_af_south",
    name: "af-south",
    displayName: "Africa South (Cape Town)",
    latitude: -33.92,
    longitude: 18.42,
  },
] as const;

const latitudeSchema = z.number().min(-90, "smallest is -90").max(90, "largest is 90");
const longitudeSchema = z.number().min(-180, "smallest is -180").max(180, "largest is 180");
/** Most channels that a location names. */
const CHANNELS_MAX = 50;
const channelIdsSchema = z
  .array(z.string().min(1).max(128))
  .max(CHANNELS_MAX, `at most ${CHANNELS_MAX} channels`)
  .superRefine(uniqueItems)
  .describe("Channels that are notified when the location's health changes.");
const isGuardedSchema = z
  .boolean()
  .describe(
    "Whether alerts are held back while the location can't reach its targets; false: each is notified.",
  );
const locationNameSchema = nameSchema({ charactersMax: 100, isTrimmed: true });

const readOnlyFields = {
  id: readOnlyField,
  region: readOnlyField,
  type: readOnlyField,
  status: readOnlyField,
  health: readOnlyField,
  outage: readOnlyField,
  replacedBy: readOnlyField,
  teamId: readOnlyField,
  lastHeartbeat: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/locations: a private location. */
export const createLocationSchema = closedObject({
  name: locationNameSchema,
  displayName: locationNameSchema.optional(),
  latitude: latitudeSchema.optional(),
  longitude: longitudeSchema.optional(),
  channelIds: channelIdsSchema.default([]),
  isGuarded: isGuardedSchema.default(true),
  ...readOnlyFields,
});
/** Body of the request that creates a private location. */
export type CreateLocation = z.infer<typeof createLocationSchema>;

/** Body of PUT /api/locations/:id: any part; null removes a coordinate. */
export const updateLocationSchema = closedObject({
  name: locationNameSchema.optional(),
  displayName: locationNameSchema.optional(),
  latitude: latitudeSchema.nullable().optional(),
  longitude: longitudeSchema.nullable().optional(),
  channelIds: channelIdsSchema.optional(),
  isGuarded: isGuardedSchema.optional(),
  ...readOnlyFields,
});
/** Body of the request that changes a private location. Absent fields stay as they are. */
export type UpdateLocation = z.infer<typeof updateLocationSchema>;

/** Schema of a location. */
export const locationSchema = z
  .object({
    id: idSchema("location"),
    name: z.string(),
    displayName: z.string(),
    region: z.string().describe("Hosting region code; private for private locations."),
    type: z.enum(["hosted", "private"]),
    status: z.enum(["active", "deprecated", "retired"]),
    health: z.enum(["active", "degraded", "offline"]),
    replacedBy: idSchema("location").optional(),
    teamId: idSchema("team").optional(),
    lastHeartbeat: timestampSchema.nullable().optional(),
    channelIds: z
      .array(idSchema("channel"))
      .optional()
      .describe("Private locations only: channels that are notified when the health changes."),
    isGuarded: z
      .boolean()
      .optional()
      .describe(
        "Private locations only: whether alerts are held back while the location can't reach its targets.",
      ),
    outage: z
      .object({
        since: timestampSchema.describe("When the first alert was held back."),
        incidentId: idSchema("incident"),
      })
      .optional()
      .describe("Present while the location can't reach the team's targets, and alerts are held back."),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
  })
  .meta({ id: "Location" });
/** A location, hosted or private. */
export type Location = z.infer<typeof locationSchema>;

/** Body of POST /api/locations/:id/keys. */
export const createRunnerKeySchema = closedObject({
  name: keyNameSchema,
});

/** Schema of a runner key. `secret` (rk_ + 64 hexadecimal digits) is only present in the answer to the key's creation. */
export const runnerKeySchema = z
  .object({
    id: idSchema("runnerKey"),
    name: z.string(),
    keyPrefix: z.string(),
    lastUsedAt: timestampSchema.nullable(),
    createdAt: timestampSchema,
    secret: z.string().optional(),
  })
  .meta({ id: "RunnerKey" });
/** A runner key of a private location. `secret` is present only in the answer to its creation. */
export type RunnerKey = z.infer<typeof runnerKeySchema>;

/** Schema of a runner, for operators. */
export const runnerSchema = z
  .object({
    id: idSchema("runner"),
    hostname: z.string(),
    version: z.string(),
    capabilities: z.array(z.string()),
    status: z.enum(["online", "draining", "offline"]),
    lastHeartbeat: timestampSchema.nullable(),
    assignedChecks: z.number(),
    activeRuns: z.number(),
    backlog: z.number().describe("Results in the runner's spool."),
    droppedResults: z.number(),
    latenessP99Ms: z.number(),
    loopBusyBasisPoints: z.number(),
    accepting: z.boolean(),
  })
  .meta({ id: "Runner" });
/** A live runner of a location, with its load. */
export type Runner = z.infer<typeof runnerSchema>;

/** Schema of a runner of any of the team's private locations. */
export const teamRunnerSchema = runnerSchema
  .extend({ locationId: idSchema("location") })
  .meta({ id: "TeamRunner" });

/** Lengths in ms of the ranges that a presence may cover, by name. */
export const PRESENCE_RANGES = { "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS } as const;
/** Most times in the answer about a location's presence. */
export const PRESENCES_MAX = 2_000;

/** Schema of the times at which runners were connected to a location. */
export const presenceSchema = z
  .object({
    locationId: idSchema("location"),
    from: timestampSchema,
    to: timestampSchema,
    presences: z
      .array(
        z.object({
          runnerId: idSchema("runner"),
          hostname: z.string(),
          from: timestampSchema,
          until: timestampSchema.describe("The last heartbeat; of a runner that is there now, a moment ago."),
        }),
      )
      .describe(`The newest times that touch the range, at most ${PRESENCES_MAX}, oldest first.`),
    isComplete: z.boolean().describe("False when there were more times than the answer holds."),
  })
  .meta({ id: "Presence" });
/** The times at which runners were connected to a location. */
export type Presence = z.infer<typeof presenceSchema>;
