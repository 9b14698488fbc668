/** Reads when an MCP server changed last. */
import type { eventRoutes } from "@svc/contract";
import { queryOptions } from "@tanstack/react-query";
import { request } from "../request.ts";
import { resultQuery } from "./checks.ts";
import { keptLive, SLOW_MS } from "./intervals.ts";

/** End of the id of a drift event; the id of the run's result stands before it. */
const DRIFT_SUFFIX = ":drift";

/** The result that found the newest change of a check's MCP server within 30 days; null where none did. */
export const lastDriftQuery = (id: string) =>
  queryOptions({
    queryKey: ["last drift", id],
    queryFn: async ({ client }) => {
      const { events } = await request<typeof eventRoutes.list>("GET", "/api/events", {
        query: { checkId: id, type: "check.mcp_schema_drift", range: "30d", limit: 1 },
      });
      const eventId = events[0]?.id;
      if (eventId === undefined) return null;
      const resultId = eventId.slice(0, -DRIFT_SUFFIX.length);
      return (await client.ensureQueryData(resultQuery(id, resultId))).result;
    },
    ...keptLive(SLOW_MS, { topics: ["results"], checkId: id }),
  });
