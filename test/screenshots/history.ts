/** A past for checks that were made a moment ago: two days of results on their own slots, as their runs would have left them. */
import { type CheckId, phaseMs, slotAtOrAfter } from "@svc/contract";
import type pg from "pg";
import { type BenchDatabase, createPartitions } from "../bench/bench-database.ts";
import { SHOP_CHECKS } from "./shop.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far the past goes back: rollups are computed anew from the day before today at most. */
const PAST_MS = DAY_MS;

/** When, before now, the search failed for eleven minutes, and when one location had no runner with capacity for three. */
const SEARCH_FAILED_MS = 9 * HOUR_MS;
const SEARCH_FAILED_FOR_MS = 11 * 60_000;
const WITHOUT_CAPACITY_MS = 5 * HOUR_MS;
const WITHOUT_CAPACITY_FOR_MS = 3 * 60_000;

/** A check with the key of its row and of the locations that run it. */
interface PastCheck {
  id: CheckId;
  key: number;
  name: string;
  frequencySeconds: number;
  locationKeys: number[];
}

/** Stores a past for all checks of the service and lets the rollups be computed from it. @param nowMs Unix ms */
export async function fillPast({ client, url }: BenchDatabase, nowMs: number): Promise<void> {
  const { rows: checks } = await client.query<PastCheck>(
    `SELECT c.id, c.key::int, c.name, c.frequency_seconds AS "frequencySeconds", r.location_keys AS "locationKeys"
     FROM checks c JOIN check_revisions r ON r.check_key = c.key AND r.revision = c.revision`,
  );
  const fromMs = nowMs - PAST_MS;
  await createPartitions({ url }, fromMs, nowMs);
  for (const check of checks) await fillCheck(client, check, { fromMs, nowMs });
  await client.query("UPDATE checks SET created_at = to_timestamp($1 / 1000.0)", [fromMs]);
  await client.query("UPDATE check_revisions SET effective_from_ms = $1", [fromMs]);
  await client.query(
    `INSERT INTO job_progress VALUES ('rollups', $1)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = $1`,
    [Math.floor(fromMs / HOUR_MS) * HOUR_MS],
  );
  await client.query("ANALYZE results");
  await client.query("NOTIFY svc_changes, 'checks'");
}

async function fillCheck(
  client: pg.Client,
  check: PastCheck,
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
): Promise<void> {
  const usualMs = SHOP_CHECKS.find(({ name }) => name === check.name)?.usualMs ?? 5;
  const periodMs = check.frequencySeconds * 1000;
  const columns: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  for (
    let slotMs = slotAtOrAfter(fromMs, periodMs, phaseMs(check.id, check.frequencySeconds));
    ;
    slotMs += periodMs
  ) {
    if (slotMs > nowMs - periodMs) break;
    for (const [index, locationKey] of check.locationKeys.entries()) {
      const agoMs = nowMs - slotMs;
      const isWithout =
        check.name === "Checkout" &&
        index === 2 &&
        isWithin(agoMs, WITHOUT_CAPACITY_MS, WITHOUT_CAPACITY_FOR_MS);
      if (isWithout) {
        await client.query("INSERT INTO missed_slots VALUES ($1, $2, $3, 'runner_capacity')", [
          check.key,
          locationKey,
          slotMs,
        ]);
        continue;
      }
      const isFailed = check.name === "Search" && isWithin(agoMs, SEARCH_FAILED_MS, SEARCH_FAILED_FOR_MS);
      const responseUs = Math.round(
        1000 * usualMs * dailySwing(slotMs) * (1 + index * 0.35) * jitter(slotMs + index),
      );
      columns[0].push(slotMs);
      columns[1].push(locationKey);
      columns[2].push(responseUs);
      columns[3].push(isFailed ? 2 : 1);
      columns[4].push(isFailed ? 500 : 200);
    }
  }
  await client.query(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us,
       dns_lookup_us, tcp_connect_us, ttfb_us, content_transfer_us, http_status_code, status, created_at)
     SELECT $1, l, s, coalesce((SELECT min(key) FROM runners), 1), 3, us + 900, us, us / 25, us / 18, us * 4 / 5, us / 12, code, st,
       to_timestamp(s / 1000.0)
     FROM unnest($2::bigint[], $3::int[], $4::int[], $5::int[], $6::int[]) AS t (s, l, us, st, code)
     ON CONFLICT DO NOTHING`,
    [check.key, ...columns],
  );
}

function isWithin(agoMs: number, beginAgoMs: number, forMs: number): boolean {
  return agoMs <= beginAgoMs && agoMs > beginAgoMs - forMs;
}

/** More people, slower answers: 1 at night, 1.5 in the afternoon. */
function dailySwing(slotMs: number): number {
  return 1.25 - 0.25 * Math.cos(((slotMs % DAY_MS) / DAY_MS - 0.1) * 2 * Math.PI);
}

/** A factor from 0.85 to 1.25, now and then more, that depends on the slot alone. */
function jitter(seed: number): number {
  const noise = Math.abs(Math.sin(seed / 7919) * 10_000) % 1;
  return 0.85 + noise * 0.4 + (noise > 0.985 ? 0.9 : 0);
}
