/** Routes of locations, their runner keys and runners. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import {
  cursorPageQuerySchema,
  literalTrueQuery,
  nextCursorField,
  pageQuerySchema,
} from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  createLocationSchema,
  createRunnerKeySchema,
  locationSchema,
  PRESENCE_RANGES,
  presenceSchema,
  runnerKeySchema,
  runnerSchema,
  teamRunnerSchema,
  updateLocationSchema,
} from "../resources/location.ts";
import { defineRoute } from "./route.ts";

const tag = "Locations";
const params = z.object({ id: idSchema("location") });
const presenceRangeNames = Object.keys(PRESENCE_RANGES) as (keyof typeof PRESENCE_RANGES)[];
const oneLocation = z.object({ location: locationSchema });

/** Routes of locations, by operation. */
export const locationRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/locations",
    access: "reads",
    forDisplays: true,
    tag,
    summary: "List the hosted locations and the team's private ones",
    description: "Without `limit` and `cursor` the answer holds all locations.",
    query: cursorPageQuerySchema.extend({ include_deprecated: literalTrueQuery }),
    answer: z.object({ locations: z.array(locationSchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/locations",
    access: "changes",
    tag,
    summary: "Create a private location",
    body: createLocationSchema,
    status: 201,
    answer: oneLocation,
    otherAnswers: { 409: errorSchema },
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/locations/:id",
    access: "changes",
    tag,
    summary: "Change a private location",
    params,
    body: updateLocationSchema,
    answer: oneLocation,
    otherAnswers: { 409: errorSchema },
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/locations/:id",
    access: "changes",
    tag,
    summary: "Delete a private location and its runner keys",
    params,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
  }),
  createKey: defineRoute({
    method: "POST",
    path: "/api/locations/:id/keys",
    access: "changes",
    tag,
    summary: "Create a runner key of a private location; its secret is shown once",
    params,
    // The name has a default, so there need be no body.
    body: createRunnerKeySchema.nullish(),
    status: 201,
    answer: z.object({ key: runnerKeySchema }),
    otherAnswers: { 409: errorSchema },
  }),
  listKeys: defineRoute({
    method: "GET",
    path: "/api/locations/:id/keys",
    access: "reads",
    tag,
    summary: "List the runner keys of a private location",
    params,
    answer: z.object({ keys: z.array(runnerKeySchema) }),
  }),
  deleteKey: defineRoute({
    method: "DELETE",
    path: "/api/locations/:id/keys/:keyId",
    access: "changes",
    tag,
    summary: "Revoke a runner key",
    params: z.object({ id: idSchema("location"), keyId: idSchema("runnerKey") }),
    answer: successSchema,
  }),
  listRunners: defineRoute({
    method: "GET",
    path: "/api/locations/:id/runners",
    access: "reads",
    tag,
    summary: "List the runners of a private location",
    params,
    answer: z.object({ runners: z.array(runnerSchema) }),
  }),
  listTeamRunners: defineRoute({
    method: "GET",
    path: "/api/runners",
    access: "reads",
    tag,
    summary: "List the runners of all the team's private locations, oldest first",
    description: "Runners that were lost are listed until they are forgotten, as `offline`.",
    query: pageQuerySchema,
    answer: z.object({
      runners: z.array(teamRunnerSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  getPresence: defineRoute({
    method: "GET",
    path: "/api/locations/:id/presence",
    access: "reads",
    tag,
    summary: "Tell when runners were connected to a private location",
    params,
    query: z.object({ range: z.enum(presenceRangeNames).default("7d").describe("How far back.") }),
    answer: presenceSchema,
  }),
};
