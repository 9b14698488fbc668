/** Registers the route of slots. */
import { resultRoutes } from "@svc/contract";
import { getCheckRow } from "../../checks/get-check.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { rangeOf } from "../range-of.ts";
import { readSlots } from "./read-slots.ts";

/** Longest range of slots, days; how many slots it may hold is another limit. */
const DAYS_MAX = 400;

/** Registers reading the slots of a check. */
export function registerSlotRoutes(app: ApiApp, services: Services): void {
  serve(app, resultRoutes.getSlots, async (request) => {
    const { services: reading, teamId } = contextOf(services, request);
    const check = await getCheckRow(reading.knex, teamId, request.params.id);
    const { cells, ...query } = request.query;
    return readSlots(reading, check, { ...rangeOf(query, reading.clock.nowMs(), DAYS_MAX), cells });
  });
}
