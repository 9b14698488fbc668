/**
 * Keeps a driver that lives long small: left to itself V8 lets the garbage of hundreds of runs lie, 0.2 MiB each, before it looks
 * for it, and a machine with checks to run has better use for that memory.
 */
import v8 from "node:v8";
import vm from "node:vm";

/** Looking takes 25 ms. */
const RUNS_PER_COLLECTION = 25;

let runs = 0;
let collect: (() => void) | undefined;

/** Says that a run ended. */
export function tidyHeap(): void {
  if (++runs % RUNS_PER_COLLECTION !== 0) return;
  collect ??= exposeCollector();
  collect();
}

/** Without the switch at the start, which would make V8 refuse what was compiled ahead without it. */
function exposeCollector(): () => void {
  v8.setFlagsFromString("--expose-gc");
  return vm.runInNewContext("gc") as () => void;
}
