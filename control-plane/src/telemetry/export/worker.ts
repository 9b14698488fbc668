/**
 * Exports for all teams, on each replica. Looks every second for exports that have something to send, and runs several at
 * once, each with one request at a time. A slow endpoint delays only its own team: slow exports may use at most half of the
 * places.
 */

import { randomUUID } from "node:crypto";
import { monotonicMs } from "../../platform/clock.ts";
import { WakeableWorker } from "../../platform/wakeable-worker.ts";
import { type ClaimedExport, claimExports, releaseExport } from "./export-store.ts";
import { type ExportTools, exportClaimed } from "./exporter.ts";

const POLL_INTERVAL_MS = 1_000;
/** Exports that run at once in this process. */
const EXPORTS_MAX = 32;
const SLOW_EXPORTS_MAX = EXPORTS_MAX / 2;
/** An export whose last run took this long counts as slow: its endpoint hangs, or its backlog is long. */
const SLOW_MS = 3_000;
/** Time for running requests to end when the worker is closed. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Sends the teams' exports from one replica until it is closed. */
export class ExportWorker {
  readonly #tools: ExportTools;
  /** Looks for exports. */
  readonly #rounds: WakeableWorker;
  readonly #cutting = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #slow = new Set<string>();

  constructor(tools: ExportTools, pollIntervalMs = POLL_INTERVAL_MS) {
    this.#tools = tools;
    this.#rounds = new WakeableWorker({
      log: tools.log,
      failureMessage: "exports can't be read from the database",
      pollIntervalMs,
      work: async () => {
        await this.#claim();
        return false;
      },
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Waits a while for running requests, then cuts them; the positions of cut requests stay where they were. */
  async close(): Promise<void> {
    await this.#rounds.close();
    const timer = setTimeout(() => this.#cutting.abort(new Error("the process ends")), CLOSE_TIMEOUT_MS);
    await Promise.all(this.#running.values());
    clearTimeout(timer);
  }

  async #claim(): Promise<void> {
    await this.#claimExcept(EXPORTS_MAX, [...this.#slow]);
    const slowRunning = [...this.#slow].filter((key) => this.#running.has(key)).length;
    if (this.#slow.size > slowRunning) await this.#claimExcept(SLOW_EXPORTS_MAX - slowRunning, []);
  }

  async #claimExcept(most: number, leftAlone: readonly string[]): Promise<void> {
    const limit = Math.min(most, EXPORTS_MAX - this.#running.size);
    if (limit <= 0 || this.#rounds.signal.aborted) return;
    const claimed = await claimExports(this.#tools.knex, {
      leasedBy: randomUUID(),
      leaseMs: this.#tools.leaseMs,
      limit,
      except: [...this.#running.keys(), ...leftAlone],
    });
    for (const one of claimed) this.#run(one);
  }

  #run(claimed: ClaimedExport): void {
    const key = `${claimed.teamId}:${claimed.signal}`;
    const startedAtMs = monotonicMs();
    const running = exportClaimed(this.#tools, claimed, {
      stopping: this.#rounds.signal,
      cutting: this.#cutting.signal,
    })
      .catch(async (error) => {
        if (!this.#cutting.signal.aborted)
          this.#tools.log.warn({ err: error, export: key }, "telemetry export failed");
        await releaseExport(this.#tools.knex, claimed).catch(() => undefined);
      })
      .finally(() => {
        this.#running.delete(key);
        if (monotonicMs() - startedAtMs >= SLOW_MS) this.#slow.add(key);
        else this.#slow.delete(key);
      });
    this.#running.set(key, running);
  }
}
