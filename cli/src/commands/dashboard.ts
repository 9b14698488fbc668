/** Shows the health of the monitors, full-screen: `svc dashboard`. */
import { LiveView } from "../live-view/live-view.ts";
import { CliError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";
import { duration } from "../runtime/option-values.ts";

/** Defines `svc dashboard`. Needs a terminal on both sides, and has no `--json`. */
export const command = defineCommand<{ interval: number }>({
  summary: "show how the monitors stand, full-screen; q or Ctrl+C ends it",
  hasJson: false,
  options: [
    {
      flags: "--interval <duration>",
      description: "between two readings, 5s-1h",
      default: 30,
      parse: duration("--interval", { min: "5s", max: "1h" }),
    },
  ],
  examples: ["dashboard", "dashboard --interval 5s"],
  async run(context, { interval }) {
    const { out, system } = context;
    const { terminal } = system;
    if (!terminal || !context.isInteractive)
      throw new CliError("general_error", "the dashboard needs a terminal", {
        hint: "In a pipe or in CI: svc status --watch",
      });
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, context.signal]);
    let failure: unknown;
    const liveView = new LiveView({
      api: context.api(),
      nowMs: system.nowMs,
      onEnd(error) {
        failure ??= error;
        ended.abort();
      },
    });
    // Ink and React are loaded only here: they would slow every other command down.
    const { showLiveView } = await import("../live-view/app.tsx");
    const surroundings = () => ({
      apiUrl: context.apiUrl(),
      intervalSeconds: interval,
      nowMs: system.nowMs(),
    });
    const shown = showLiveView({ out, liveView, terminal, surroundings }, signal);
    // Not awaited: a reading that is under way when the person leaves is not needed any more.
    void refreshAtIntervals(liveView, () => system.wait(interval * 1000, signal), signal);
    await shown;
    if (failure !== undefined) throw failure;
  },
});

async function refreshAtIntervals(
  liveView: LiveView,
  wait: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await liveView.refresh();
    await wait();
  }
}
