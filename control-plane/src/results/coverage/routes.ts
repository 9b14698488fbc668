/** Routes of coverage. */
import { COVERAGE_RANGES, coverageSchema, idSchema } from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../../checks/get-check.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { getCoverage } from "./get-coverage.ts";

const rangeNames = Object.keys(COVERAGE_RANGES) as (keyof typeof COVERAGE_RANGES)[];

export function registerCoverageRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/checks/:id/coverage",
    {
      schema: {
        tags: ["Results"],
        summary: "Tell which slots of a check have a result, and why the others do not",
        params: z.object({ id: idSchema("check") }),
        querystring: z.object({ range: z.enum(rangeNames).default("24h").describe("How far back.") }),
        response: { 200: coverageSchema },
      },
    },
    async ({ caller, params, query }) => {
      const check = await getCheckRow(services.knex, caller.teamId, params.id);
      return getCoverage(services, check, query.range);
    },
  );
}
