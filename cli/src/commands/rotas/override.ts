/** Lets a member of a rota take over for a while: `svc rotas override`. */
import { parseInstant } from "@svc/contract";
import { instant } from "../../resources/maintenance/window-options.ts";
import { onDutyText } from "../../resources/rotas/describe.ts";
import { getRota, ROTA_ARGUMENT } from "../../resources/rotas/get-rota.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import { ifUnchanged } from "../../runtime/if-unchanged.ts";
import { duration } from "../../runtime/option-values.ts";

interface Options {
  member?: string;
  starts?: string;
  for?: number;
}

/** Defines `svc rotas override`, which adds an override and drops those that are over. */
export const command = defineCommand<Options>({
  summary: "let a member of a rota take over for a while",
  answers: async () => (await import("../../answers/rotas.ts")).rotasOne,
  arguments: [ROTA_ARGUMENT],
  options: [
    { flags: "--member <person>", description: "who is on duty instead" },
    {
      flags: "--starts <time>",
      description: "ISO 8601, by default now; without an offset a wall time in the rota's zone",
      parse: instant("--starts"),
    },
    {
      flags: "--for <duration>",
      description: "e.g. 4h, 7d",
      parse: duration("--for", { min: "1m", max: "365d", units: "smhd" }),
    },
  ],
  examples: ['rotas override "On call" --member Bea --for 4h'],
  async run(context, { member, starts, for: seconds }, [typed]) {
    if (member === undefined || seconds === undefined) throw generalError("give --member and --for");
    const api = context.api();
    const { id, name } = await getRota(api, typed as string);
    // The list of overrides is written as a whole: one that somebody else adds in between must not be lost.
    const { rota: before, etag } = await api.readRota(id);
    const { overrides, timezone } = before;
    const nowMs = context.system.nowMs();
    const fromMs = starts === undefined ? nowMs : parseInstant(starts, timezone);
    const [from, to] = [fromMs, fromMs + seconds * 1_000].map((ms) => new Date(ms).toISOString()) as [
      string,
      string,
    ];
    const lasting = overrides.filter((one) => Date.parse(one.to) > nowMs);
    const rota = await ifUnchanged(`the rota "${name}"`, () =>
      api.updateRota(id, { overrides: [...lasting, { from, to, member }] }, etag),
    );
    return {
      data: { rota },
      print: (out) =>
        out.line(
          `${out.text(member)} takes over from ${from} to ${to}. On duty now: ${out.text(onDutyText(rota))}.`,
        ),
    };
  },
});
