/** Routes of the capacity of locations. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import {
  CAPACITY_PREVIEW_LIMITS,
  capacityOfLocationSchema,
  capacityPreviewSchema,
  capacitySchema,
  previewCapacitySchema,
} from "../capacity/capacity.ts";
import { defineRoute } from "./route.ts";

const tag = "Locations";

/** Routes of the capacity of locations, by operation. */
export const capacityRoutes = {
  get: defineRoute({
    method: "GET",
    path: "/api/capacity",
    access: "reads",
    isReport: true,
    tag,
    summary:
      "Tell for each location how many runs the team's checks make, and which share of its runners that takes",
    description:
      "Expected figures, from frequencies and from how long runs took over the last day. They are up to 5 s old, and up to a minute for teams of more than 500 checks. Maintenance windows are not heeded.",
    answer: capacitySchema,
  }),
  getOfLocation: defineRoute({
    method: "GET",
    path: "/api/locations/:id/capacity",
    access: "reads",
    isReport: true,
    tag,
    summary: "Tell a location's capacity, and which checks take most of it",
    params: z.object({ id: idSchema("location") }),
    answer: capacityOfLocationSchema,
  }),
  preview: defineRoute({
    method: "POST",
    path: "/api/capacity/preview",
    access: "reads",
    tag,
    summary: "Tell what changes of checks would do to the capacity of their locations",
    description: `Nothing is changed. \`svc diff\` and the editor of checks ask this. At most ${CAPACITY_PREVIEW_LIMITS.changesMax} changes, each check once.`,
    body: previewCapacitySchema,
    answer: capacityPreviewSchema,
  }),
};
