import type { MaintenanceEvent } from "./event-store.ts";
import type { WindowSwitchStore } from "./switch-store.ts";

const CHECKS_AT_ONCE = 500;

/**
 * Pauses and resumes checks as their windows start and end, and records the starts and the ends. Safe to repeat, and to
 * overlap with another replica's call. Returns the events it recorded.
 */
export async function switchWindows(store: WindowSwitchStore, nowMs: number): Promise<MaintenanceEvent[]> {
  await switchChecks(store, { find: store.findChecksToPause, paused: true, nowMs });
  await switchChecks(store, { find: store.findChecksToResume, paused: false, nowMs });
  return store.recordStartsAndEnds(nowMs);
}

async function switchChecks(
  store: WindowSwitchStore,
  { find, paused, nowMs }: { find: WindowSwitchStore["findChecksToPause"]; paused: boolean; nowMs: number },
): Promise<void> {
  for (;;) {
    const keys = await find(nowMs, CHECKS_AT_ONCE);
    if (keys.length === 0) return;
    await store.setPaused({ keys, paused, nowMs });
    if (keys.length < CHECKS_AT_ONCE) return;
  }
}
