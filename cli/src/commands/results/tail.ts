/**
 * Follows a monitor's new results until Ctrl+C: `svc results tail`. An outage of the service is a warning, and the next
 * poll goes on.
 */
import type { ApiClient, Result } from "@svc/contract";
import { millisecondsText } from "../../output/times.ts";
import { paintOfStatus } from "../../resources/monitors/describe.ts";
import { getMonitor } from "../../resources/monitors/get-monitor.ts";
import { defineCommand } from "../../runtime/command.ts";
import type { Context } from "../../runtime/context.ts";
import { mayReadAgain } from "../../runtime/may-retry.ts";

const POLL_MS = 2_000;
/** Results read at a time: more than all locations of a check measure between two polls. */
const PAGE = 200;

/** Defines `svc results tail`. With `--json`, each result is a line. */
export const command = defineCommand({
  summary: "follow a monitor's new results",
  answers: async () => (await import("../../answers/monitors.ts")).resultsTail,
  arguments: [{ name: "<monitor>", description: "name or id of the monitor" }],
  examples: ['results tail "Home page"', 'results tail "Home page" --json | jq .status'],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id, name } = await getMonitor(api, typed as string);
    context.out.info(`Following ${context.out.text(name)}; Ctrl+C ends it.`);
    await follow(context, api, id);
  },
});

/** Writes each result once, oldest first, until Ctrl+C, which is the normal end: exit code 0. */
async function follow(context: Context, api: ApiClient, checkId: string): Promise<void> {
  const { signal, out } = context;
  const read = async () => (await api.listResults(checkId, { limit: PAGE, detail: true })).results;
  let seen = new Set((await read()).map(({ id }) => id));
  let isDown = false;
  while (await context.pause(POLL_MS)) {
    try {
      const results = await read();
      for (const result of results.filter(({ id }) => !seen.has(id)).reverse()) write(context, result);
      seen = new Set(results.map(({ id }) => id));
      if (isDown) out.warn("the service answers again");
      isDown = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!mayReadAgain(error, "view")) throw error;
      if (!isDown) out.warn(`${out.text((error as Error).message)}; trying again`);
      isDown = true;
    }
  }
}

function write({ out }: Context, result: Result): void {
  if (out.isJson) {
    out.object(result);
    return;
  }
  const status = paintOfStatus(out.colors, result.status)(result.status.padEnd(7));
  const code = result.httpStatusCode?.toString() ?? "-";
  const error = result.errorMessage === null ? "" : `  ${out.text(result.errorMessage)}`;
  out.line(
    `${result.startedAt}  ${status}  ${out.text(result.locationId)}  ${code}  ${millisecondsText(result.responseTimeMs)}${error}`,
  );
}
