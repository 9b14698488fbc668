/** Arguments that several tools have. */
import { changesQuerySchema, idSchema } from "@svc/contract";
import * as z from "zod";

/** Records on a page when a call names no limit. */
const LIMIT_DEFAULT = 20;
/** Most records on a page. */
const LIMIT_MAX = 50;

/** Argument that names a check. */
export const checkIdInput = idSchema("check").describe(
  "Id of the check (chk_...), as find_checks answers it.",
);

/** Argument that names an alert. */
export const alertIdInput = idSchema("alertInstance").describe("Id of the alert (ainst_...).");

/** Arguments of a tool that answers a page of a list. */
export const pageInput = {
  limit: z
    .int("expected a whole number")
    .min(1, "smallest is 1")
    .max(LIMIT_MAX, `largest is ${LIMIT_MAX}`)
    .default(LIMIT_DEFAULT)
    .describe("Records at most; an answer ends earlier where it would become too long."),
  next: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe("`next` of the answer before, with the same arguments beside it; absent: the first page."),
};

const { from, to } = changesQuerySchema.shape;

/** Arguments that restrict a list to a time. */
export const rangeInput = { from, to };
