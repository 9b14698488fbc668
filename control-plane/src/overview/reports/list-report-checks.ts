import { reportCheckSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { checkOfReport } from "./get-report.ts";
import { monthToReport } from "./month-to-report.ts";
import { type CheckRow, readCheckSums } from "./read-store.ts";

/**
 * Returns the list of the checks of a month, the least available first.
 * @throws DomainError `invalid` for a month that has not begun, `not_found` for one before the team was created
 */
export async function listReportChecks(
  ctx: TeamContext,
  { month: name }: { month: string },
): Promise<RecordList<CheckRow>> {
  const month = await monthToReport(ctx, name);
  return {
    name: "checks",
    cursorShape: ["number", "number"],
    read: ({ after, ...part }) =>
      readCheckSums(ctx.services.knex, month, {
        after: after && [Number(after[0]), Number(after[1])],
        ...part,
      }),
    textOf: (row) => JSON.stringify(z.encode(reportCheckSchema, checkOfReport(row))),
    cursorOf: ({ rank, key }) => [rank, key],
  };
}
