/** Slots of a check in a time range, location by location: which have a result, how it turned out, and why others have none. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { MISSING_REASONS } from "./coverage.ts";

/** Most cells of one location in an answer. */
export const SLOT_CELLS_MAX = 400;
/** Most slots that an answer counts, over all locations. */
export const SLOTS_COUNTED_MAX = 200_000;

const missingSchema = z
  .partialRecord(z.enum([...MISSING_REASONS, "not_explained"]), z.number())
  .describe(
    "Slots without a result by reason. not_explained: of very many missing slots, only the newest are explained.",
  );

const slotCellSchema = z.object({
  at: timestampSchema.describe("The slot, or the begin of the cell where a cell holds several."),
  expected: z.number(),
  received: z.number(),
  late: z.number().optional().describe("Absent: none."),
  pending: z
    .number()
    .optional()
    .describe("Slots that are too young to count, or may still be running; absent: none."),
  missing: missingSchema.optional(),
  worst: z.enum(RESULT_STATUSES).optional().describe("Worst status of its results; absent: it has none."),
  resultId: idSchema("result").optional().describe("The newest result with the worst status."),
});

/** Reasons why no slot was due. not_yet: the check did not exist; disabled: somebody or a maintenance window stopped it. */
const IDLE_REASONS = ["not_yet", "disabled", "maintenance"] as const;

/** Schema of the slots of a check. */
export const slotsSchema = z
  .object({
    checkId: idSchema("check"),
    from: timestampSchema,
    to: timestampSchema,
    cellMs: z.number().nullable().describe("Length of a cell; null: each cell is one slot."),
    idle: z
      .array(z.object({ from: timestampSchema, to: timestampSchema, reason: z.enum(IDLE_REASONS) }))
      .describe("Times without slots, oldest first."),
    locations: z.array(
      z.object({
        locationId: idSchema("location"),
        expected: z.number().describe("Slots that were due in the range."),
        received: z.number().describe("Slots among them that have a result."),
        late: z.number().describe("Results whose run began more than 1 s after it was due."),
        missing: missingSchema,
        cells: z.array(slotCellSchema).describe("Oldest first. A cell without slots is left out."),
      }),
    ),
  })
  .meta({ id: "Slots" });
/** The slots of a check in a time range, by location. */
export type Slots = z.infer<typeof slotsSchema>;
/** One slot, or several next to one another, at one location. */
export type SlotCell = z.infer<typeof slotCellSchema>;
