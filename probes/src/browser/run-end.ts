/** What a run came to whose driver did not come to the end with it: a fault of this runner, or a script's own doing. */

import type { ProbeOutcome, RunFault } from "../run/outcome.ts";
import type { ProbeContext } from "../run/probe.ts";
import type { DriverEnd, DriverProcess } from "./process/driver-process.ts";
import type { WatchedRun } from "./process/watched-run.ts";
import type { RunReport } from "./protocol/messages.ts";
import type { ScriptInvalid } from "./script-source.ts";

/** What a driver of one script, or of one suspicious page, may have: browser, Node and the page. */
export const SCRIPT_BYTES_MAX = 768 * 1024 * 1024;
export const SCRIPT_PROCESSES_MAX = 150;

/** A slot that is given back. */
export function fault(reason: RunFault["reason"], message: string): RunFault {
  return { kind: "fault", reason, message };
}

/** The driver did not come to the end with the run, and nothing says that the target is why. */
export function endFault(end: DriverEnd | "overrun" | "aborted" | undefined): RunFault {
  if (end === "aborted") return fault("draining", "the runner is stopping");
  if (end === "overrun" || end === undefined) return fault("crash", "the browser hung and was replaced");
  const isMemory = end.cause === "memory" || end.cause === "host_memory";
  return fault(isMemory ? "out_of_memory" : "crash", `the browser broke down: ${end.message}`);
}

/** A page alone in its driver that takes all of it. */
export const PAGE_TOO_LARGE = {
  status: "error",
  category: "protocol",
  message: `the page needs more than ${SCRIPT_BYTES_MAX} bytes of memory`,
} as const;
export const SCRIPT_TOO_LARGE = {
  status: "error",
  category: "script",
  message: `the script and its browser need more than ${SCRIPT_BYTES_MAX} bytes of memory`,
} as const;

/** A page whose process was ended for want of memory, the run's own or the machine's; undefined: it was not that. */
export function crashForMemory<Verdict>(
  { cause }: RunReport,
  shortage: DriverProcess["shortage"],
  tooLarge: Verdict,
): Verdict | RunFault | undefined {
  if (cause !== "crash" || shortage === undefined) return undefined;
  return shortage === "own"
    ? tooLarge
    : fault("out_of_memory", "the machine ran out of memory, and a page's process was ended");
}

/** A script is alone in its driver: what ended it is its own doing. undefined: it was not. */
export function scriptEnd({ end }: WatchedRun, timeoutMs: number) {
  if (end === "overrun")
    return {
      status: "timeout",
      category: "timeout",
      message: `the script did not end within ${timeoutMs} ms and answered nothing any more`,
    } as const;
  if (typeof end !== "object" || end.cause === "killed" || end.cause === "host_memory") return undefined;
  if (end.cause === "memory") return SCRIPT_TOO_LARGE;
  const message =
    end.cause === "processes"
      ? `the script started more than ${SCRIPT_PROCESSES_MAX} processes`
      : "the script's process ended before the script did";
  return { status: "error", category: "script", message } as const;
}

/** A script that no driver was asked to run. */
export function invalidScript(error: ScriptInvalid, context: ProbeContext): ProbeOutcome {
  const detail = { errorCategory: "script", errorMessage: error.message } as const;
  return {
    kind: "result",
    status: "error",
    startedAtMs: context.nowMs(),
    responseTimeUs: 0,
    elapsedUs: 0,
    phases: {},
    detail,
  };
}
