import * as z from "zod";
import { closedObject } from "../base/objects.ts";

/** The newest result of at least `minLocations` locations is a non-success of the last `windowSeconds`. */
export const multiLocationFailureSchema = closedObject({
  type: z.literal("multi_location_failure"),
  minLocations: z.int().min(2, "smallest is 2").max(100, "largest is 100").default(2),
  windowSeconds: z.int().min(1, "smallest is 1").max(604_800, "largest is 604800").default(300),
});
