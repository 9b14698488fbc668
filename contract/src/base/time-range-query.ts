import * as z from "zod";

/** Schema of an optional instant in a query. */
export const instantQuery = z.iso
  .datetime({ offset: true, error: "expected an instant such as 2026-06-01T12:00:00Z" })
  .optional();

/** Query fields of logs by which they are restricted to a time. */
export const timeRangeQuery = {
  from: instantQuery.describe("Only entries of this instant and later."),
  to: instantQuery.describe("Only entries before this instant."),
};
