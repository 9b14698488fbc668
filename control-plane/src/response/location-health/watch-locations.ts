/**
 * Watches the health of private locations and reports each change once: as an event of the team, and to the channels that the
 * location names. Several replicas may watch at once; the stored health decides who reports.
 */
import { MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { DEGRADED_HEARTBEAT_MS } from "../../checks/locations/health.ts";
import type { LocationLife } from "../../checks/locations/row.ts";
import { readLivesOfLocations } from "../../checks/locations/store.ts";
import { severityOfHealth } from "../../outbox/announce-location.ts";
import { enqueue } from "../../outbox/outbox.ts";
import { LOCATION_NOTIFICATION_KIND } from "../../outbox/payload.ts";
import { recipientsAmong } from "../../outbox/recipient.ts";
import { readRecipients } from "../../outbox/recipient-store.ts";
import { attributesOfEvent } from "../../telemetry/derived-events/define-derived-event.ts";
import { locationHealthChanged } from "../../telemetry/derived-events/location-events.ts";
import { recordDerivedEvents } from "../../telemetry/derived-events/store.ts";
import { judgeHealth, type ReportedHealth } from "./judge-health.ts";
import {
  countChecksAt,
  insertReported,
  noteWatch,
  readWatchedLocations,
  replaceReported,
  type WatchedLocation,
} from "./store.ts";

const LOCATIONS_AT_ONCE = 500;
/** A longer pause between two passes means that the service was away, and agents could send it no heartbeats. */
const PAUSE_MS_MAX = MINUTE_MS;
/** Time that agents have to come back after such a pause before one is missed. */
const SETTLED_MS = 2 * DEGRADED_HEARTBEAT_MS;

/** Looks at all private locations once. Safe to repeat, and to overlap with another replica's call. */
export async function watchLocations(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  const mayWorsen = nowMs - (await noteWatch(knex, nowMs, PAUSE_MS_MAX)) >= SETTLED_MS;
  for (let afterKey = 0; !signal?.aborted; ) {
    const locations = await readWatchedLocations(knex, afterKey, LOCATIONS_AT_ONCE);
    const last = locations.at(-1);
    if (!last) return;
    const keys = locations.map(({ key }) => key);
    const lives = await readLivesOfLocations(knex, keys, nowMs);
    for (const location of locations) {
      const life = lives.get(location.key);
      if (life) await look(knex, location, { life, nowMs, mayWorsen });
    }
    afterKey = last.key;
  }
}

interface Look {
  life: LocationLife;
  nowMs: number;
  mayWorsen: boolean;
}

async function look(knex: Knex, location: WatchedLocation, { life, nowMs, mayWorsen }: Look): Promise<void> {
  const { key, reported: from } = location;
  if (!from) return insertReported(knex, key, life.health);
  const to = judgeHealth(from, { health: life.health, nowMs, mayWorsen });
  if (to.health !== from.health) return report(knex, location, { from, to, life, nowMs });
  if (to.betterSinceMs !== from.betterSinceMs) await replaceReported(knex, key, { from, to });
}

interface Change extends Omit<Look, "mayWorsen"> {
  from: ReportedHealth;
  to: ReportedHealth;
}

/** Stores the change with its event and its notifications, unless another replica did. */
async function report(
  knex: Knex,
  location: WatchedLocation,
  { from, to, life, nowMs }: Change,
): Promise<void> {
  const { key, id, teamId, name, displayName, channelIds } = location;
  const { health } = to;
  const previousHealth = from.health;
  await knex.transaction(async (trx) => {
    if (!(await replaceReported(trx, key, { from, to }))) return;
    await recordDerivedEvents(trx, [
      {
        teamId,
        name: locationHealthChanged.type,
        severity: severityOfHealth(health),
        attributes: attributesOfEvent(locationHealthChanged, { id, name, health, previousHealth }),
        occurredAtMs: nowMs,
      },
    ]);
    if (channelIds.length === 0) return;
    const recipients = await readRecipients(trx, [{ channelIds }]);
    await enqueue(trx, [
      {
        teamId,
        kind: LOCATION_NOTIFICATION_KIND,
        subjectId: id,
        channelKeys: recipientsAmong(recipients, teamId, channelIds).map((recipient) => recipient.key),
        payload: {
          location: { id, name, displayName },
          health,
          previousHealth,
          lastHeartbeat: life.lastHeartbeat,
          checkCount: await countChecksAt(trx, { teamId, id }),
          occurredAt: new Date(nowMs).toISOString(),
        },
      },
    ]);
  });
}
