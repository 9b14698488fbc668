import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { countSchema } from "./fields.ts";

/** The last `count` results of one location are all non-success, for any one of the check's locations. */
export const consecutiveFailuresSchema = closedObject({
  type: z.literal("consecutive_failures"),
  count: countSchema.default(2),
});
