/**
 * Keeps the last reported fact of each check location and kind, so that a result carries only facts that changed, and
 * those of each run.
 */
import { createHash } from "node:crypto";
import { factTypes, HOUR_MS } from "@svc/contract";
import { type CheckLocation, checkLocationId } from "../model/assignment.ts";
import type { ResultRecord } from "../model/result-record.ts";

/** An unchanged fact is repeated after this time, so that a control plane restored from a backup learns of it again. */
const REPEAT_MS = 24 * HOUR_MS;

interface Reported {
  /** Probes return the identical object while nothing differs, which saves computing the digest. */
  fact: unknown;
  digest: number;
  atMs: number;
}

/** Last reported facts of all check locations. */
export class FactFilter {
  /** By check and location, then by kind. */
  readonly #reported = new Map<string, Map<string, Reported>>();

  /**
   * Returns the facts that differ from the last reported ones or belong to this run alone, and counts them as reported: the
   * caller spools them.
   */
  selectChanged(
    checkLocation: CheckLocation,
    facts: Record<string, unknown> | undefined,
    nowMs: number,
  ): ResultRecord["facts"] {
    if (facts === undefined) return [];
    const changed: ResultRecord["facts"] = [];
    const id = checkLocationId(checkLocation);
    const known = this.#reported.get(id) ?? new Map<string, Reported>();
    this.#reported.set(id, known);
    for (const [kind, fact] of Object.entries(facts)) {
      if (factTypes.find(kind)?.isOfEachRun) {
        changed.push({ kind, factJson: JSON.stringify(fact) });
        continue;
      }
      const reported = known.get(kind);
      const isFresh = reported !== undefined && nowMs - reported.atMs < REPEAT_MS;
      if (isFresh && reported.fact === fact) continue;
      const factJson = JSON.stringify(fact);
      const digest = digestOf(factJson);
      if (isFresh && reported.digest === digest) {
        reported.fact = fact;
        continue;
      }
      known.set(kind, { fact, digest, atMs: nowMs });
      changed.push({ kind, factJson });
    }
    return changed;
  }

  /** Forgets everything, so that every fact is reported again; for when it is unknown what was delivered. */
  clear(): void {
    this.#reported.clear();
  }

  /** Forgets the facts of a result that was not delivered, so that the next run reports them again. */
  forget({ checkKey, locationKey, facts }: ResultRecord): void {
    const known = this.#reported.get(checkLocationId({ checkKey, locationKey }));
    for (const { kind } of facts) known?.delete(kind);
  }

  /**
   * Forgets a check location that another runner reports for from now on. Should it come back, every fact is reported
   * again.
   */
  forgetCheckLocation(checkLocation: CheckLocation): void {
    this.#reported.delete(checkLocationId(checkLocation));
  }
}

/** Returns 48 bits of a hash: two different facts of one check location have equal digests once in 10^14 cases. */
function digestOf(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}
