/**
 * The spool as the session sees it, watched: when the session deletes a result, that must be stored, or have been refused. With a
 * planted fault, results are deleted when they are sent.
 */
import type { ResultRecorder } from "../../runner-agent/src/agent/result-recorder.ts";
import type { ResultRecord } from "../../runner-agent/src/model/result-record.ts";
import type { RejectedResult, ResultQueue } from "../../runner-agent/src/session/result-sender.ts";
import type { Spool } from "../../runner-agent/src/spool/spool.ts";
import type { Surroundings } from "./surroundings.ts";

/** The queue of one process of an agent. */
export class WatchedQueue implements ResultQueue {
  readonly #spool: Spool;
  readonly #world: Surroundings;
  readonly #agent: string;
  readonly #sent = new Map<number, ResultRecord>();
  /** The recorder with this queue in the place of its spool. */
  readonly recorder: ResultRecorder;

  constructor(recorder: ResultRecorder, { world, agent }: { world: Surroundings; agent: string }) {
    this.#agent = agent;
    this.#spool = recorder.spool;
    this.#world = world;
    const replaced: Partial<Record<PropertyKey, unknown>> = {
      spool: this,
      handleRejected: (rejected: RejectedResult) => {
        const { checkKey, locationKey, slotMs } = rejected.record;
        world.record.rejected.push({ checkKey, locationKey, slotMs, reason: rejected.reason });
        recorder.handleRejected(rejected);
      },
    };
    this.recorder = new Proxy(recorder, {
      get: (target, name) => {
        if (name in replaced) return replaced[name];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  read(...range: Parameters<Spool["read"]>): ReturnType<Spool["read"]> {
    const found = this.#spool.read(...range);
    for (const { sequence, record } of found) this.#sent.set(sequence, record);
    if (this.#world.faults.spoolDeletedEarly) this.#spool.remove(found.map(({ sequence }) => sequence));
    return found;
  }

  remove(sequences: readonly number[]): void {
    const records = sequences.flatMap((sequence) => this.#sent.get(sequence) ?? []);
    for (const sequence of sequences) this.#sent.delete(sequence);
    // Refusals come right after the deletion.
    queueMicrotask(() => {
      for (const record of records) this.#world.acknowledged(this.#agent, record);
    });
    if (!this.#world.faults.spoolDeletedEarly) this.#spool.remove(sequences);
  }
}
