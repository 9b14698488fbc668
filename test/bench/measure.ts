/** CPU time and memory of another process, read from /proc (Linux). */
import { readFileSync } from "node:fs";
import v8 from "node:v8";
import vm from "node:vm";

/** Clock ticks per second of /proc/<pid>/stat: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** User and system time of the process and all its threads so far, ms. */
export function cpuMs(pid: number): number {
  return ticksMs(pid, 11);
}

/** User and system time of the process's children that ended and were waited for, ms. */
export function endedChildrenCpuMs(pid: number): number {
  return ticksMs(pid, 13);
}

/** Sum of two neighbouring fields of /proc/<pid>/stat, counted from the state of the process, ms. */
function ticksMs(pid: number, field: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[field]) + Number(fields[field + 1])) * 1000) / TICKS_PER_SECOND;
}

/** CPU of the process's first thread so far, microseconds: finer than the ticks of its whole. */
export function threadCpuUs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1000;
}

/** Resident set of the process, MiB. */
export function rssMiB(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) / 1024;
}

/** Collects this process's garbage, so that what memory is left is in use; needs no switch when Node starts. */
export function collectGarbage(): void {
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
}

/** The value below which `share` (0-1) of the sorted values lie. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median of unsorted values. */
export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Prints rows as a Markdown table; numbers are rounded to what the reader can use. */
export function printTable(rows: Record<string, string | number>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  console.log(`| ${columns.join(" | ")} |`);
  console.log(`| ${columns.map(() => "---").join(" | ")} |`);
  for (const row of rows) console.log(`| ${columns.map((column) => shown(row[column])).join(" | ")} |`);
}

function shown(value: string | number | undefined): string {
  if (typeof value !== "number") return value ?? "";
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
