import { checkRoutes, oneLine } from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../../checks/get-check.ts";
import { checkFromRow } from "../../checks/row.ts";
import { readResultsPage } from "../../results/read-results.ts";
import { resultLine } from "../views/result-view.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

const RESULTS = 10;

/** Tells what a check is, with its secrets masked. */
export const getCheck = defineTool({
  type: "get_check",
  title: "Read a check",
  description:
    "Reads a check: its configuration (secrets masked), schedule and locations, with its newest results. Scripts and request bodies are masked, too.",
  routes: [checkRoutes.get],
  input: z.strictObject({ checkId: checkIdInput }),
  async run({ ctx: { services, teamId } }, { checkId }) {
    const row = await getCheckRow(services.knex, teamId, checkId);
    const { id, name, type, enabled, frequencySeconds, locations, configJson, ...rest } = checkFromRow(
      services.secrets,
      row,
      "masked",
    );
    const results = await readResultsPage(services, row, { limit: RESULTS, offset: 0, withDetail: false });
    return {
      summary: `${oneLine(name)}: ${type}, every ${frequencySeconds} s at ${locations.length} locations${enabled ? "" : ", disabled"}.`,
      check: {
        id,
        name,
        type,
        enabled,
        frequencySeconds,
        locations,
        retry: rest.retry,
        createdAt: rest.createdAt,
        updatedAt: rest.updatedAt,
      },
      results: results.map(resultLine),
      config: configJson,
    };
  },
});
