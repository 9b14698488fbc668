/**
 * The channels of a history: endpoints that take notifications, and may be slow, fail, hang or lose their answers. A request that
 * is on its way arrives although its sender has died; its answer comes to a living sender only.
 */

import { SendError, type SendReport } from "../../control-plane/src/outbox/channels/sender.ts";
import type { ClaimedNotification } from "../../control-plane/src/response/notifications/claimed-notification.ts";
import type { ChannelMood } from "./plan.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { ChannelSender, Surroundings } from "./surroundings.ts";

/** Longest way of a request or an answer, ms. */
const TRAVEL_MS_MAX = 60;
/** Time that a slow endpoint takes, ms: less than the limit of an attempt. */
const SLOW_MS_MAX = 8_000;

/** All channels, by their key. */
export class Channels implements ChannelSender {
  readonly #world: Surroundings;
  readonly #moods = new Map<number, ChannelMood>();

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /** Sets how the channel's endpoint takes requests from now on. */
  setMood(channelKey: number, mood: ChannelMood): void {
    this.#moods.set(channelKey, mood);
  }

  /** Makes all endpoints well. */
  heal(): void {
    this.#moods.clear();
  }

  /** Makes one attempt of a process to hand a notification over. Rejects with the signal's reason when that aborts before. */
  send(process: SimulatedProcess, claimed: ClaimedNotification, signal: AbortSignal): Promise<SendReport> {
    const { random, scheduler, reached } = this.#world;
    reached("sending", process);
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const answer = (settle: () => void, afterMs = 0) => {
        process.after(afterMs + random.between(1, TRAVEL_MS_MAX), settle);
      };
      scheduler.after(random.between(1, TRAVEL_MS_MAX), () => {
        const mood = this.#moods.get(claimed.channelKey) ?? "well";
        if (mood === "failing") {
          answer(() => reject(new SendError("the answer was 503", { mayRetry: true, httpStatus: 503 })));
          return;
        }
        if (mood === "hangs") {
          if (random.chance(0.5)) this.#receive(claimed, process, false);
          return;
        }
        this.#receive(claimed, process, mood !== "answers_lost");
        if (mood === "answers_lost")
          answer(() => reject(new SendError("the connection was reset", { mayRetry: true })));
        else
          answer(
            () => resolve({ httpStatus: 200 }),
            mood === "slow" ? random.between(2_000, SLOW_MS_MAX) : 0,
          );
      });
    });
  }

  #receive(claimed: ClaimedNotification, sender: SimulatedProcess, isConfirmed: boolean): void {
    const { id, channelKey, kind, subjectId, attempt } = claimed;
    const { record, scheduler, trace, reached } = this.#world;
    const atMs = scheduler.nowMs;
    record.receipts.push({ notificationId: id, channelKey, kind, subjectId, sender, isConfirmed, atMs });
    trace.note(`channel ${channelKey} takes ${id} (${kind}) of ${sender.name}, attempt ${attempt}`);
    reached("sent", sender);
  }
}
