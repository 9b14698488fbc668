/** Shows the health of the monitors, once or repeatedly: `svc status`. */
import type { Output } from "../output/output.ts";
import { statusColumns } from "../resources/status/columns.ts";
import { countsOf, isUnhealthy, type MonitorStatus, readStatus } from "../resources/status/read-status.ts";
import { generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { mayReadAgain } from "../runtime/may-retry.ts";
import { duration } from "../runtime/option-values.ts";

interface Options {
  watch?: boolean;
  /** Seconds between two views; undefined: not given. */
  interval?: number;
}

const INTERVAL_SECONDS = 30;

/** Moves the cursor home and clears to the end, so that each view overwrites the one before. */
const CLEAR_SCREEN = "\u001b[H\u001b[J";

/** Defines `svc status`. Exit code 10 when a monitor is unhealthy; with `--watch`, in the last view. */
export const command = defineCommand<Options>({
  summary: "show how the monitors stand; exit code 10 when one is unhealthy",
  answers: async () => (await import("../answers/status.ts")).status,
  options: [
    { flags: "--watch", description: "show it again and again; Ctrl+C ends it" },
    {
      flags: "--interval <duration>",
      description: "with --watch: time between two views, 5s-1h; 30s when not given",
      parse: duration("--interval", { min: "5s", max: "1h" }),
    },
  ],
  examples: ["status", "status --watch --interval 10s", "status --json"],
  async run(context, { watch, interval }) {
    if (watch) return await watchStatus(context, (interval ?? INTERVAL_SECONDS) * 1000);
    if (interval !== undefined) throw generalError("--interval needs --watch");
    const monitors = await readStatus(context.api());
    return outcomeOf(monitors, context.system.nowMs());
  },
});

function outcomeOf(monitors: readonly MonitorStatus[], nowMs: number): CommandOutcome {
  return {
    data: { timestamp: new Date(nowMs).toISOString(), monitors, summary: countsOf(monitors) },
    print: (out) => print(out, monitors, nowMs),
    ...(monitors.some(isUnhealthy) ? { exit: "unhealthy" as const } : {}),
  };
}

/**
 * Shows the status until Ctrl+C. While the service doesn't answer, warns and asks again.
 * @returns the outcome of the last view
 */
async function watchStatus(context: Context, intervalMs: number): Promise<CommandOutcome | undefined> {
  const { out, signal, system } = context;
  const api = context.api();
  let isUnhealthyNow = false;
  do {
    try {
      const monitors = await readStatus(api);
      isUnhealthyNow = monitors.some(isUnhealthy);
      if (out.isJson) out.object(outcomeOf(monitors, system.nowMs()).data);
      else {
        if (out.isTerminal) system.stdout.write(CLEAR_SCREEN);
        print(out, monitors, system.nowMs());
        if (!out.isTerminal) out.line();
      }
    } catch (error) {
      if (signal.aborted) break;
      if (!mayReadAgain(error, "view")) throw error;
      out.warn(`${out.text((error as Error).message)}; trying again`);
    }
  } while (await context.pause(intervalMs));
  if (isUnhealthyNow) return { exit: "unhealthy" };
}

/** Prints one view, with its instant first: a snapshot in a pipe or a log says when it was taken. */
function print(out: Output, monitors: readonly MonitorStatus[], nowMs: number): void {
  const { red, dim } = out.colors;
  const readAt = new Date(nowMs).toISOString();
  out.line(out.isTerminal ? dim(readAt) : readAt);
  if (monitors.length === 0) {
    out.line("No monitors.");
    return;
  }
  out.table(statusColumns(out.colors), monitors);
  const { healthy, unhealthy, unknown, paused } = countsOf(monitors);
  const bad = `${unhealthy} unhealthy`;
  out.line();
  out.line(`${healthy} healthy, ${unhealthy > 0 ? red(bad) : bad}, ${unknown} unknown, ${paused} paused`);
}
