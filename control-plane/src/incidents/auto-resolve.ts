/** Ends incidents whose alerts are all over and whose cool-down has passed. */
import type { Services } from "../services.ts";
import { changeIncident } from "./change-incident.ts";
import { COOL_DOWN_MS, mayAutoResolve, stateAfter } from "./lifecycle.ts";
import { readQuietIncidents } from "./store.ts";

const INCIDENTS_AT_ONCE = 500;

/** One look. Harmless to repeat, and to overlap with another replica's. */
export async function autoResolve(services: Pick<Services, "knex" | "clock">): Promise<void> {
  const nowMs = services.clock.nowMs();
  const quiet = await readQuietIncidents(services.knex, new Date(nowMs - COOL_DOWN_MS), INCIDENTS_AT_ONCE);
  for (const { id, teamId } of quiet)
    await changeIncident(services, teamId, id, (row, _trx, now) => {
      const quietSinceMs = row.quietSince === null ? null : Date.parse(row.quietSince);
      // An alert may have joined since it was looked for.
      if (!mayAutoResolve(row.state, quietSinceMs, nowMs)) return undefined;
      return {
        ...{ type: "auto_resolved", actorId: null, detail: { previousState: row.state } },
        patch: { state: stateAfter(row.state, "auto_resolve"), resolvedAt: now },
      };
    });
}
