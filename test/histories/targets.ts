/** The targets of a history: each is well or fails, by the seed, at any instant of true time. */
import type { Random } from "./random.ts";
import { EPOCH_MS } from "./scheduler.ts";

/** A time during which a target failed, Unix ms. */
interface Outage {
  fromMs: number;
  toMs: number;
}

/** Knows how every target was at any time. */
export class Targets {
  readonly #outages = new Map<number, Outage[]>();

  /** @param forMs length of the history */
  constructor(random: Random, { checkKeys, forMs }: { checkKeys: readonly number[]; forMs: number }) {
    for (const checkKey of checkKeys) {
      const outages: Outage[] = [];
      let atMs = EPOCH_MS + random.between(0, forMs / 2);
      while (atMs < EPOCH_MS + forMs) {
        const toMs = atMs + random.between(5_000, 60_000);
        outages.push({ fromMs: atMs, toMs });
        atMs = toMs + random.between(10_000, forMs / 2);
      }
      this.#outages.set(checkKey, outages);
    }
  }

  /** True when the check's target failed at that instant of true time. */
  isDown(checkKey: number, atMs: number): boolean {
    return (this.#outages.get(checkKey) ?? []).some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs);
  }
}
