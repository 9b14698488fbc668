/** Requests of a deploy: tried again where that is safe. */
import { setTimeout as sleepMs } from "node:timers/promises";
import { type ApiClient, ApiError } from "@svc/contract";
import type { Remote } from "./fetch-remote.ts";

export interface ApplyTools {
  api: ApiClient;
  remote: Remote;
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

const RETRIES_MAX = 5;
/** A service that wants more patience than this has more trouble than a deploy should wait for. */
const WAIT_SECONDS_MAX = 60;

/** A refusal that names its wait (429, 503) has done nothing: the request is made again. Anything else is not. */
export async function retrying(run: () => Promise<void>, { signal }: ApplyTools): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const waitSeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      const isRefusal = error instanceof ApiError && (error.status === 429 || error.status === 503);
      if (!isRefusal || waitSeconds === undefined || waitSeconds > WAIT_SECONDS_MAX) throw error;
      if (attempt > RETRIES_MAX) throw error;
      await sleepMs(waitSeconds * 1000, undefined, { signal });
    }
  }
}
