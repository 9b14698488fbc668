/** Doing one thing to many checks at once. */
import * as z from "zod";
import { DOMAIN_ERROR_CODES } from "../base/errors.ts";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { checkLocationsSchema, frequencySecondsSchema } from "./check.ts";
import { labelSchema } from "./labels.ts";

/** Most checks that one request changes. */
export const BULK_CHECKS_MAX = 500;
/** Most labels that one request adds or removes. */
const BULK_LABELS_MAX = 20;

const ids = z
  .array(idSchema("check"))
  .min(1, "at least one check")
  .max(BULK_CHECKS_MAX, `at most ${BULK_CHECKS_MAX} checks`)
  .superRefine(uniqueItems)
  .describe("The checks, in the order in which they are changed.");
const labels = z
  .array(labelSchema)
  .min(1, "at least one label")
  .max(BULK_LABELS_MAX, `at most ${BULK_LABELS_MAX} labels`)
  .superRefine(uniqueItems);
const action = <Name extends string>(name: Name) => z.literal(name);

/** Body of POST /api/checks/bulk: the checks, and what is to be done to each of them. */
export const bulkChecksSchema = z.discriminatedUnion("action", [
  closedObject({ ids, action: action("pause") }),
  closedObject({ ids, action: action("resume") }),
  closedObject({ ids, action: action("run") }),
  closedObject({ ids, action: action("delete") }),
  closedObject({ ids, action: action("add_labels"), labels }),
  closedObject({ ids, action: action("remove_labels"), labels }),
  closedObject({ ids, action: action("set_frequency"), frequencySeconds: frequencySecondsSchema }),
  closedObject({ ids, action: action("set_locations"), locations: checkLocationsSchema }),
]);
/** Body of the request that does one thing to many checks. */
export type BulkChecks = z.infer<typeof bulkChecksSchema>;

/** Schema of what became of each check. */
export const bulkOutcomesSchema = z
  .object({
    outcomes: z
      .array(
        z.object({
          id: idSchema("check"),
          status: z.enum(["done", "refused", "not_tried"]),
          code: z
            .enum(DOMAIN_ERROR_CODES)
            .nullable()
            .describe("Why it was refused: the code that the request for this check alone answers."),
          error: z.string().nullable().describe("The reason in a sentence; null: it is done."),
        }),
      )
      .describe("In the order of `ids`."),
  })
  .meta({ id: "BulkOutcomes" });
/** Outcome of each check of a bulk request. */
export type BulkOutcomes = z.infer<typeof bulkOutcomesSchema>;
