/** Facts are forwarded when they changed: what a check's location last reported, by kind. */
import { createHash } from "node:crypto";
import { HOUR_MS } from "@svc/contract";
import type { ResultRecord } from "../model/result-record.ts";

/** An unchanged fact is repeated this often, so that a control plane restored from a backup learns it again. */
const REPEAT_MS = 24 * HOUR_MS;

interface Reported {
  /** Probes hand out the same object as long as nothing differs, which saves the digest. */
  fact: unknown;
  digest: number;
  atMs: number;
}

export class FactFilter {
  /** By check and location, then by kind. */
  readonly #reported = new Map<string, Map<string, Reported>>();

  /** Those of `facts` that differ from what was last reported, which they then are. The spool delivers them. */
  takeChanged(
    checkKey: number,
    locationKey: number,
    facts: Record<string, unknown> | undefined,
    nowMs: number,
  ): ResultRecord["facts"] {
    if (facts === undefined) return [];
    const changed: ResultRecord["facts"] = [];
    const place = `${checkKey}/${locationKey}`;
    const known = this.#reported.get(place) ?? new Map<string, Reported>();
    this.#reported.set(place, known);
    for (const [kind, fact] of Object.entries(facts)) {
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

  /** It is unknown what was delivered: every fact is new again. */
  clear(): void {
    this.#reported.clear();
  }

  /** These were not delivered: the next run reports them again. */
  forget({ checkKey, locationKey, facts }: ResultRecord): void {
    for (const { kind } of facts) this.#reported.get(`${checkKey}/${locationKey}`)?.delete(kind);
  }

  /** Another runner reports for this check and location from now on: when it comes back here, every fact is new again. */
  forgetPlace(checkKey: number, locationKey: number): void {
    this.#reported.delete(`${checkKey}/${locationKey}`);
  }
}

/** 48 bits: two facts of one check collide once in 10^14. */
function digestOf(text: string): number {
  return createHash("sha256").update(text).digest().readUIntBE(0, 6);
}
