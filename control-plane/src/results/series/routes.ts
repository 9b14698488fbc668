/** Registers the route of series. */
import { resultRoutes } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { rangeOf } from "../range-of.ts";
import { readSeries } from "./read-series.ts";

/** Longest range of a series, days: rollups are kept for 13 months. */
const DAYS_MAX = 400;

/** Registers reading the series of a check. */
export function registerSeriesRoutes(app: ApiApp, services: Services): void {
  serve(app, resultRoutes.getSeries, async (request) => {
    const { services: reading, teamId } = contextOf(services, request);
    const check = await getCheckRow(reading.knex, teamId, request.params.id);
    const { by, ...query } = request.query;
    return readSeries(reading, check, { ...rangeOf(query, reading.clock.nowMs(), DAYS_MAX), by });
  });
}
