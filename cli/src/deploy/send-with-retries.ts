/** Sends the requests of a deploy again where that is safe. */
import { setTimeout as sleepMs } from "node:timers/promises";
import { writeRetrySeconds } from "../runtime/may-retry.ts";

const RETRIES_MAX = 5;
/** A service that asks for a longer wait has more trouble than a deploy should wait for. */
const WAIT_SECONDS_MAX = 60;

/** Runs `send`, and again while the service refuses and names a wait. Rejects with the last error. */
export async function sendWithRetries(send: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let retries = 0; ; retries++) {
    try {
      return await send();
    } catch (error) {
      const waitSeconds = writeRetrySeconds(error);
      if (waitSeconds === undefined || waitSeconds > WAIT_SECONDS_MAX || retries >= RETRIES_MAX) throw error;
      await sleepMs(waitSeconds * 1000, undefined, { signal });
    }
  }
}
