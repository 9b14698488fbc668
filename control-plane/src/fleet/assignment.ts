/**
 * Decides which runner owns a check location, by weighted rendezvous hashing. The decision is a pure function of the
 * runners' rows: every replica reaches the same one without talking to the others, and a runner that comes or goes moves
 * only its own share.
 */
import type { CheckLocation } from "../platform/check-location.ts";
import { VAULT_CAPABILITY } from "./derived-capabilities.ts";

/** The properties of a runner that decide what it is assigned. Instants: control-plane clock, Unix ms. */
export interface AssignableRunner {
  runnerKey: number;
  locationKeys: readonly number[];
  capabilities: ReadonlySet<string>;
  /** Relative weight. */
  capacityPerSecond: number;
  isDraining: boolean;
  connectedAtMs: number;
  leaseUntilMs: number;
  /** Since when the runner accepts nothing new; null while it accepts. */
  notAcceptingSinceMs: number | null;
}

/** A check location with the properties of the check that decide which runner gets it. */
export interface AssignableCheckLocation extends CheckLocation {
  type: string;
  /** True when the check refers to secrets of its team. */
  usesVault: boolean;
  /** Unix ms: since when the check's present schedule is in force. */
  effectiveFromMs: number;
}

/**
 * Returns the runners that can run the check location, best first. The first one owns it; the next ones follow when a
 * slot is given back.
 * @param alive the location's runners whose lease holds
 */
export function rankRunners(
  checkLocation: AssignableCheckLocation,
  alive: readonly AssignableRunner[],
): AssignableRunner[] {
  return alive
    .filter((runner) => canRun(runner, checkLocation))
    .map((runner) => ({ runner, score: score(checkLocation, runner) }))
    .sort((a, b) => b.score - a.score || a.runner.runnerKey - b.runner.runnerKey)
    .map(({ runner }) => runner);
}

/**
 * Returns the owner of the check location, or undefined when no runner can run it. A runner that accepts nothing new
 * keeps the check locations that it owned at that moment, judged among the runners alive then, and gets a further one
 * only when no other runner can run it.
 * @param alive the location's runners whose lease holds
 * @param known the runners and the location's recently lost ones, to find out what a runner owned
 */
export function ownerOf(
  checkLocation: AssignableCheckLocation,
  alive: readonly AssignableRunner[],
  known: readonly AssignableRunner[] = alive,
): AssignableRunner | undefined {
  const winner = best(checkLocation, alive);
  if (!winner || winner.notAcceptingSinceMs === null) return winner;
  const sinceMs = winner.notAcceptingSinceMs;
  const aliveThen = known.filter(
    (runner) => runner.connectedAtMs <= sinceMs && runner.leaseUntilMs >= sinceMs,
  );
  const wasOwner =
    checkLocation.effectiveFromMs <= sinceMs &&
    best(checkLocation, aliveThen)?.runnerKey === winner.runnerKey;
  if (wasOwner) return winner;
  const accepting = alive.filter((runner) => runner.notAcceptingSinceMs === null);
  return best(checkLocation, accepting) ?? winner;
}

function best(
  checkLocation: AssignableCheckLocation,
  runners: readonly AssignableRunner[],
): AssignableRunner | undefined {
  let winner: AssignableRunner | undefined;
  let winningScore = Number.NEGATIVE_INFINITY;
  for (const runner of runners) {
    if (!canRun(runner, checkLocation)) continue;
    const candidate = score(checkLocation, runner);
    if (
      candidate > winningScore ||
      (candidate === winningScore && runner.runnerKey < (winner?.runnerKey ?? 0))
    ) {
      winner = runner;
      winningScore = candidate;
    }
  }
  return winner;
}

function canRun(runner: AssignableRunner, { type, usesVault }: AssignableCheckLocation): boolean {
  if (runner.isDraining || !runner.capabilities.has(type)) return false;
  return !usesVault || runner.capabilities.has(VAULT_CAPABILITY);
}

/** Scores by weighted highest random weight: -w / ln(h) with h uniform in (0, 1) makes shares proportional to w. */
function score({ checkKey, locationKey }: CheckLocation, runner: AssignableRunner): number {
  const uniform = (mix(checkKey, locationKey, runner.runnerKey) + 0.5) / 2 ** 32;
  return -Math.max(1, runner.capacityPerSecond) / Math.log(uniform);
}

/** Returns 32 well-mixed bits of three integers, with the finalizer of MurmurHash3 after each part. */
function mix(checkKey: number, locationKey: number, runnerKey: number): number {
  let hash = 0x9e3779b9;
  for (const part of [checkKey % 2 ** 32, Math.floor(checkKey / 2 ** 32), locationKey, runnerKey]) {
    hash ^= part | 0;
    hash ^= hash >>> 16;
    hash = Math.imul(hash, 0x85ebca6b);
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae35);
    hash ^= hash >>> 16;
    hash = (hash + 0x9e3779b9) | 0;
  }
  return hash >>> 0;
}
