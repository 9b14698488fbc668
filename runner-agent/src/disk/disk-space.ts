/**
 * Free space on the disk under the data folder. LMDB must never meet a full disk: its failed writes have been seen to
 * damage the process's memory. So each write first asks for space, with a reserve that also keeps the machine usable.
 */
import { statfsSync } from "node:fs";

/** Bytes that must stay free when results are written. */
export const RESULTS_RESERVE_BYTES = 32 * 1024 * 1024;
/** Bytes that must stay free for writes that are small (the assignment, an empty database) or make space (deletions). */
export const SMALL_RESERVE_BYTES = 4 * 1024 * 1024;

/** Returns a phrase that says how much is missing when fewer than `reserveBytes` are free, else undefined. */
export function findSpaceShortage(folder: string, reserveBytes: number): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  return freeBytes >= reserveBytes
    ? undefined
    : `only ${mebibytes(freeBytes)} MiB are free on the disk, ${mebibytes(reserveBytes)} MiB are needed`;
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / (1024 * 1024));
}
