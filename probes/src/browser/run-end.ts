/**
 * Decides what the end of a browser run means: a result, which says something about the target or the script, or a fault of
 * this runner. The first line that applies decides:
 *
 * | The run ended because                                  | Url mode                      | Script, or a page run alone   |
 * | ------------------------------------------------------ | ----------------------------- | ----------------------------- |
 * | the agent stops (`aborted`)                            | fault `draining`              | fault `draining`              |
 * | the driver hung (`overrun`)                            | fault `crash`                 | script: timeout; page: fault  |
 * | the driver ended for its own memory limit              | fault `out_of_memory`         | error: too large              |
 * | the driver ended because the machine had no memory     | fault `out_of_memory`         | fault `out_of_memory`         |
 * | the driver started too many processes                  | fault `crash`                 | script: error; page: fault    |
 * | the driver ended in any other way                      | fault `crash`                 | script: error; page: fault    |
 * | report: `crash`, memory was short                      | fault `crash`                 | own limit: error; else fault  |
 * | report: `crash` of a page's process                    | fault `crash`, then run alone | error `protocol`              |
 * | report: `stalled`, the driver stood still              | fault `capacity`              | fault `capacity`              |
 * | the run moved too many bytes                           | error `http`                  | error `http`                  |
 * | report: `navigation`, and the proxy knows why          | fault, or error by category   | fault, or error by category   |
 * | report: `navigation` otherwise                         | error by Chromium's code      | error by Chromium's code      |
 * | report: `timeout`, `assertion`, `http`, `script`       | timeout, failure, failure, error                              |
 */
import type { ErrorCategory, ResultStatus } from "@svc/contract";
import type { ProbeOutcome, RunFault } from "../run/outcome.ts";
import type { ProbeContext } from "../run/probe.ts";
import { connectFailureOf, navigationCategory } from "./failures.ts";
import type { DriverEnd, DriverProcess } from "./process/driver-process.ts";
import type { WatchedRun } from "./process/watched-run.ts";
import type { RunReport } from "./protocol/messages.ts";
import type { ScriptInvalid } from "./script-source.ts";

/** The status of a run that says something about the target, with its reason unless it is a success. */
export interface Judgement {
  status: ResultStatus;
  category?: ErrorCategory;
  message?: string;
}

/** Limits of a driver that runs one script, or one page alone: browser, Node and the page together. */
export const SCRIPT_BYTES_MAX = 768 * 1024 * 1024;
/** Most processes of such a driver. */
export const SCRIPT_PROCESSES_MAX = 150;

/** The judgement of a page that used up the memory of a driver of its own. */
export const PAGE_TOO_LARGE: Judgement = {
  status: "error",
  category: "protocol",
  message: `the page needs more than ${SCRIPT_BYTES_MAX} bytes of memory`,
};
/** The judgement of a script that used up the memory of its driver. */
export const SCRIPT_TOO_LARGE: Judgement = {
  status: "error",
  category: "script",
  message: `the script and its browser need more than ${SCRIPT_BYTES_MAX} bytes of memory`,
};

/** Returns the fault with which a slot is given back. */
export function fault(reason: RunFault["reason"], message: string): RunFault {
  return { kind: "fault", reason, message };
}

/** Judges a run from its driver's report, held against the connections that the proxy saw. */
export function judgeReport(report: RunReport, { traffic }: WatchedRun): Judgement | RunFault {
  if (report.cause === "stalled") return fault("capacity", report.errorMessage ?? "the driver stood still");
  if (traffic.hasExceeded)
    return {
      status: "error",
      category: "http",
      message: `the run moved more than ${traffic.bytesMax} bytes over the network and was cut off`,
    };
  if (report.status === "success") return { status: "success" };
  const message = report.errorMessage ?? "the run failed";
  switch (report.cause) {
    case "navigation": {
      const failure = connectFailureOf(report, traffic);
      if (failure?.kind === "runner") return fault(failure.reason, failure.message);
      if (failure) return { status: "error", category: failure.category, message: failure.message };
      return { status: "error", category: navigationCategory(message), message };
    }
    case "timeout":
      return { status: "timeout", category: "timeout", message };
    case "assertion":
      return { status: "failure", category: "assertion", message };
    case "http":
      return { status: "failure", category: "http", message };
    case "crash":
      return { status: "error", category: "protocol", message };
    default:
      return { status: "error", category: "script", message };
  }
}

/** Returns the fault for a run that its driver did not finish, where nothing shows that the target is the reason. */
export function endFault(end: DriverEnd | "overrun" | "aborted" | undefined): RunFault {
  if (end === "aborted") return fault("draining", "the runner is stopping");
  if (end === "overrun" || end === undefined) return fault("crash", "the browser hung and was replaced");
  const isMemory = end.cause === "memory" || end.cause === "host_memory";
  return fault(isMemory ? "out_of_memory" : "crash", `the browser broke down: ${end.message}`);
}

/**
 * Judges the crash of a page in a driver of its own whose process was ended because memory was short.
 * @param shortage whose memory was short: the driver's own limit, or the machine's
 * @returns undefined when the crash had another reason
 */
export function crashForMemory(
  { cause }: RunReport,
  shortage: DriverProcess["shortage"],
  tooLarge: Judgement,
): Judgement | RunFault | undefined {
  if (cause !== "crash" || shortage === undefined) return undefined;
  return shortage === "own"
    ? tooLarge
    : fault("out_of_memory", "the machine ran out of memory, and a page's process was ended");
}

/**
 * Judges the end of a script's driver. The script is alone in there, so it caused most ends itself.
 * @returns undefined when the script was not the reason
 */
export function scriptEnd({ end }: Pick<WatchedRun, "end">, timeoutMs: number): Judgement | undefined {
  if (end === "overrun")
    return {
      status: "timeout",
      category: "timeout",
      message: `the script did not end within ${timeoutMs} ms and answered nothing any more`,
    };
  if (typeof end !== "object" || end.cause === "killed" || end.cause === "host_memory") return undefined;
  if (end.cause === "memory") return SCRIPT_TOO_LARGE;
  const message =
    end.cause === "processes"
      ? `the script started more than ${SCRIPT_PROCESSES_MAX} processes`
      : "the script's process ended before the script did";
  return { status: "error", category: "script", message };
}

/** Returns the result for a script that could not be translated, and so was never run. */
export function invalidScript(error: ScriptInvalid, context: ProbeContext): ProbeOutcome {
  return {
    kind: "result",
    status: "error",
    startedAtMs: context.nowMs(),
    responseTimeUs: 0,
    elapsedUs: 0,
    phases: {},
    detail: {
      errorCategory: "script",
      errorMessage: error.message,
      ...(error.line !== undefined && { scriptLine: error.line }),
    },
  };
}
