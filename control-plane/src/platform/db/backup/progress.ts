/** The progress of a copy, as people read it. */
import { monotonicMs } from "../../clock.ts";

/** How far a copy is. */
interface Progress {
  doneBytes: number;
  totalBytes: number;
}

/** Receives how far a copy is, after each piece. */
export type OnProgress = (progress: Progress) => void;

const INTERVAL_MS = 1_000;

/**
 * Returns what writes a line about the progress at most once a second.
 * @param nowMs reads a clock, ms
 */
export function progressLines(write: (line: string) => void, nowMs = monotonicMs): OnProgress {
  let nextMs = nowMs() + INTERVAL_MS;
  return ({ doneBytes, totalBytes }) => {
    if (nowMs() < nextMs) return;
    nextMs = nowMs() + INTERVAL_MS;
    const percent = totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes);
    write(`${sizeText(doneBytes)} of ${sizeText(totalBytes)} (${percent} %)`);
  };
}

/** Returns a size for people, such as `1.4 GB`. */
export function sizeText(bytes: number): string {
  const units = ["kB", "MB", "GB", "TB"];
  let size = bytes / 1_000;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
