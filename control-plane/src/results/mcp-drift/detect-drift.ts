/**
 * Compares what MCP servers offer with what they offered before, in the transaction that stores the results. One baseline per
 * check, not per location: the first run sets it; a run that meets something else reports the difference in its result and
 * makes it the next baseline. The row of the baseline is locked, so that of two locations that meet the same change at once,
 * also over two replicas, one reports it. A run that is older than the baseline changes nothing.
 */
import { createHash } from "node:crypto";
import type { McpSchemaDriftFacts, McpSurface } from "@svc/contract";
import type { Knex } from "knex";
import { driftBetween } from "./compare.ts";
import { lockBaselines, type McpBaseline, readEndpoints, writeBaselines } from "./store.ts";

/** What one stored result saw of its check's server. */
export interface SeenSurface {
  /** The result's row in its group. */
  row: number;
  checkKey: number;
  /** Start of the run, Unix ms. */
  observedAtMs: number;
  surface: McpSurface;
}

/** @returns what changed, by the row of the result that reports it */
export async function detectDrift(
  trx: Knex,
  seen: readonly SeenSurface[],
): Promise<Map<number, McpSchemaDriftFacts>> {
  const drifts = new Map<number, McpSchemaDriftFacts>();
  if (seen.length === 0) return drifts;
  const current = await ofCurrentEndpoint(trx, seen);
  const baselines = await lockBaselines(trx, [...new Set(current.map(({ checkKey }) => checkKey))]);
  const moved = new Map<number, McpBaseline>();
  for (const { row, checkKey, observedAtMs, surface } of current.toSorted(byTime)) {
    const baseline = baselines.get(checkKey);
    const { next, drift } = judgeSurface(baseline, surface, observedAtMs);
    if (drift) drifts.set(row, drift);
    if (!next) continue;
    baselines.set(checkKey, next);
    moved.set(checkKey, next);
  }
  await writeBaselines(trx, moved);
  return drifts;
}

/**
 * What a surface makes of the baseline. Pure.
 * @returns next: the baseline from now on, when it is another one; drift: what the run reports
 */
export function judgeSurface(
  baseline: McpBaseline | undefined,
  surface: McpSurface,
  observedAtMs: number,
): { next?: McpBaseline; drift?: McpSchemaDriftFacts } {
  if (baseline && observedAtMs < baseline.observedAtMs) return {};
  const next = { surface, observedAtMs };
  // Another server is not a changed one: its first run sets the baseline anew.
  if (!baseline || baseline.surface.endpointSha256 !== surface.endpointSha256) return { next };
  const drift = driftBetween(baseline.surface, surface);
  return drift ? { next, drift } : { next };
}

/** Without what was seen at an endpoint that the check no longer has: an agent may learn of the change a little later. */
async function ofCurrentEndpoint(trx: Knex, seen: readonly SeenSurface[]): Promise<SeenSurface[]> {
  const endpoints = await readEndpoints(trx, [...new Set(seen.map(({ checkKey }) => checkKey))]);
  const hashes = new Map(
    [...endpoints].map(([checkKey, endpoint]) => [
      checkKey,
      createHash("sha256").update(endpoint).digest("hex"),
    ]),
  );
  return seen.filter(({ checkKey, surface }) => hashes.get(checkKey) === surface.endpointSha256);
}

function byTime(a: SeenSurface, b: SeenSurface): number {
  return a.observedAtMs - b.observedAtMs;
}
