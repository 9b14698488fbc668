/** Tells who of a rota is on duty in the days ahead: `svc rotas schedule`. */
import { DAY_MS, parseInstant } from "@svc/contract";
import { instant } from "../../resources/maintenance/window-options.ts";
import { printSchedule } from "../../resources/rotas/describe.ts";
import { getRota, ROTA_ARGUMENT } from "../../resources/rotas/get-rota.ts";
import { defineCommand } from "../../runtime/command.ts";
import { duration } from "../../runtime/option-values.ts";

interface Options {
  starts?: string;
  for: number;
}

const SECONDS_DEFAULT = (14 * DAY_MS) / 1_000;

/** Defines `svc rotas schedule`. */
export const command = defineCommand<Options>({
  summary: "tell who of a rota is on duty in the days ahead",
  answers: async () => (await import("../../answers/rotas.ts")).rotasSchedule,
  arguments: [ROTA_ARGUMENT],
  options: [
    {
      flags: "--starts <time>",
      description: "ISO 8601, by default now; without an offset a wall time in the rota's zone",
      parse: instant("--starts"),
    },
    {
      flags: "--for <duration>",
      description: "e.g. 12h, 30d (default: 14d)",
      parse: duration("--for", { min: "1h", max: "92d", units: "smhd" }),
      default: SECONDS_DEFAULT,
    },
  ],
  examples: ['rotas schedule "On call"', 'rotas schedule "On call" --for 30d --json'],
  async run(context, { starts, for: seconds }, [typed]) {
    const api = context.api();
    const { id, name, timezone } = await getRota(api, typed as string);
    const fromMs = starts === undefined ? context.system.nowMs() : parseInstant(starts, timezone);
    const schedule = await api.readRotaSchedule(id, {
      from: new Date(fromMs).toISOString(),
      to: new Date(fromMs + seconds * 1_000).toISOString(),
    });
    return { data: { rota: { id, name }, schedule }, print: (out) => printSchedule(out, schedule) };
  },
});
