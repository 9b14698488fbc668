/** An instant with how long ago it was, which goes on while the page is open. */
import { useSyncExternalStore } from "react";
import { presentMs } from "./clock.ts";
import { durationText, instantText } from "./format.ts";

const TICK_MS = 1_000;
let nowMs = presentMs();
let isStopped = false;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    if (isStopped) return;
    nowMs = presentMs();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Stops the present where it is, since what is shown goes no further, or lets it go on. */
export function stopPresent(stops: boolean): void {
  isStopped = stops;
}

/** Returns the present, Unix ms, anew every second. */
export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

/** Shows an instant of the past and its distance: `Nov 23, 2026, 1:02:03 (3 min ago)`. @param props.at ISO 8601 */
export function Ago({ at }: { at: string }) {
  const sinceMs = Math.max(0, useNowMs() - Date.parse(at));
  return (
    <time dateTime={at}>
      {instantText(at)} <span className="quiet">{`(${durationText(sinceMs)} ago)`}</span>
    </time>
  );
}

/** Shows how long something lasts that began at an instant. @param props.at ISO 8601 */
export function Since({ at }: { at: string }) {
  return (
    <time dateTime={at} title={instantText(at)}>
      {durationText(Math.max(0, useNowMs() - Date.parse(at)))}
    </time>
  );
}
