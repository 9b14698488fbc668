import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { countSchema } from "./fields.ts";

/** The last `count` slots of a location have no result. */
export const missedRunsSchema = closedObject({
  type: z.literal("missed_runs"),
  count: countSchema.default(2),
});
