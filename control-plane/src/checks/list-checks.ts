import { type Check, type CheckSummary, checkSchema, checkSummarySchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../platform/http/record-list.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { type LocationNotices, readLocationNotices, withLocationNotices } from "./location-notices.ts";
import { withPushUrl } from "./pushes/push-url.ts";
import { type CheckModel, checkFromRow, type SecretsShown } from "./row.ts";
import { listCheckRows } from "./store.ts";

/** A row with the notices of all locations. */
interface ListedCheck {
  row: CheckModel;
  notices: LocationNotices;
}

/**
 * Returns the list of the team's checks, newest first.
 * @param input.view `summary` leaves the configurations out
 * @param input.urls whether the URLs of pushed checks are answered; default: masked
 */
export function listChecks(
  { services, teamId }: TeamContext,
  {
    view,
    secrets: shown,
    urls = "masked",
  }: { view: "full" | "summary"; secrets: SecretsShown; urls?: SecretsShown },
): RecordList<ListedCheck> {
  const { knex, secrets } = services;
  const withConfig = view === "full";
  return {
    name: "checks",
    cursorShape: ["instant", "number"],
    isSized: true,
    read: async ({ after, rowsMax }) => {
      const rows = await listCheckRows(knex, teamId, { after, rowsMax, withConfig });
      const notices = await readLocationNotices(knex);
      return rows.map((row) => ({ row, notices }));
    },
    textOf: ({ row, notices }) => {
      const check = withLocationNotices(checkFromRow(secrets, row, withConfig ? shown : undefined), notices);
      return withConfig
        ? JSON.stringify(z.encode(checkSchema, withPushUrl(services, { row, check }, urls)))
        : JSON.stringify(z.encode(checkSummarySchema, summaryOf(check)));
    },
    cursorOf: ({ row }) => [row.createdAt, row.key],
  };
}

function summaryOf({ configJson: _, ...summary }: Check): CheckSummary {
  return summary;
}
