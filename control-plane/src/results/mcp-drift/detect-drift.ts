/**
 * Compares the surfaces of MCP servers with their baselines, in the transaction that stores the results. A check has one
 * baseline for all its locations. The first run sets it; a run that meets a different surface reports the difference in its
 * result and makes that surface the next baseline. The baseline's row is locked, so that only one of two locations that meet
 * a change at once reports it, also on two replicas. A run that is older than the baseline changes nothing.
 */
import { createHash } from "node:crypto";
import type { McpSchemaDriftFacts, McpSurface } from "@svc/contract";
import type { Knex } from "knex";
import { driftBetween } from "./compare.ts";
import { lockBaselines, type McpBaseline, readEndpoints, writeBaselines } from "./store.ts";

/** The surface of a check's server that one stored result saw. */
export interface SeenSurface {
  /** The result's row in its group. */
  row: number;
  checkKey: number;
  /** Start of the run, Unix ms. */
  observedAtMs: number;
  surface: McpSurface;
}

/**
 * Compares the surfaces and moves the baselines.
 * @returns the drifts, by the row of the result that reports each
 */
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
 * Compares one surface with the baseline. Pure.
 * @returns `next`: the new baseline, unless it stays; `drift`: the changes that the run reports, if any
 */
function judgeSurface(
  baseline: McpBaseline | undefined,
  surface: McpSurface,
  observedAtMs: number,
): { next?: McpBaseline; drift?: McpSchemaDriftFacts } {
  if (baseline && observedAtMs < baseline.observedAtMs) return {};
  const next = { surface, observedAtMs };
  // A different server is not a changed one: its first run sets the baseline anew.
  if (!baseline || baseline.surface.endpointSha256 !== surface.endpointSha256) return { next };
  const drift = driftBetween(baseline.surface, surface);
  return drift ? { next, drift } : { next };
}

/** Leaves out surfaces of an endpoint that the check no longer has: an agent may learn of the change a little later. */
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
