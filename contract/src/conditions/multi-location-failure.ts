import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineCondition } from "./define-condition.ts";

/** Holds when several locations fail at once. */
export const multiLocationFailureCondition = defineCondition(
  closedObject({
    type: z.literal("multi_location_failure"),
    minLocations: z.int().min(2, "smallest is 2").max(100, "largest is 100").default(2),
    windowSeconds: z.int().min(1, "smallest is 1").max(604_800, "largest is 604800").default(300),
  }),
  {
    fields: "`minLocations` (2), `windowSeconds` (300)",
    holdsWhen:
      "the newest result of `minLocations` locations is a non-success; each lies within the `windowSeconds` seconds that end at the result looked at",
    severity: "critical",
    needs: () => "several_locations",
  },
);
