/**
 * Keeps the memory of a long-lived driver small. V8 on its own lets the garbage of hundreds of runs accumulate, 0.2
 * MiB each, before it collects it, and a machine with checks to run has better use for that memory.
 */
import v8 from "node:v8";
import vm from "node:vm";

/** Number of runs between two garbage collections, each of which takes 25 ms. */
const RUNS_PER_COLLECTION = 25;

let runs = 0;
let collect: (() => void) | undefined;

/** Counts a run that ended, and collects garbage from time to time. */
export function tidyHeap(): void {
  if (++runs % RUNS_PER_COLLECTION !== 0) return;
  collect ??= exposeCollector();
  collect();
}

/**
 * Exposes the collector at run time. The switch at the start of the process would make V8 refuse code that was
 * compiled ahead without it.
 */
function exposeCollector(): () => void {
  v8.setFlagsFromString("--expose-gc");
  return vm.runInNewContext("gc") as () => void;
}
