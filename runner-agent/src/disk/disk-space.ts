/**
 * Room on the disk under the data folder. LMDB must not be let run into a full disk: its failed writes have been seen to
 * damage the process's memory. So room is looked for before each write, with a reserve that keeps the machine usable too.
 */
import { statfsSync } from "node:fs";

/** Bytes that must stay free for results to be written. */
export const RESULTS_RESERVE_BYTES = 32 * 1024 * 1024;
/** For what gives room in the end (deletions) or is small (the assignment, an empty database) less will do. */
export const SMALL_RESERVE_BYTES = 4 * 1024 * 1024;

/** @returns what is wrong when fewer than `reserveBytes` are free, else undefined */
export function lackOfRoom(folder: string, reserveBytes: number): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  const freeBytes = bavail * bsize;
  return freeBytes >= reserveBytes
    ? undefined
    : `only ${mebibytes(freeBytes)} MiB are free on the disk, ${mebibytes(reserveBytes)} MiB are needed`;
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / (1024 * 1024));
}
