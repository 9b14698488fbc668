/** Changes a rota, after a question: `svc rotas edit`. */
import type { UpdateRota } from "@svc/contract";
import { readFragment } from "../../fragments/read-fragment.ts";
import { ROTA_FIELDS, ROTA_OPTIONS, type RotaOptions, rotaBody } from "../../fragments/rota-options.ts";
import { instant } from "../../resources/maintenance/window-options.ts";
import { getRota, ROTA_ARGUMENT } from "../../resources/rotas/get-rota.ts";
import { defineCommand } from "../../runtime/command.ts";
import { editedOutcome } from "../../runtime/edited-outcome.ts";

/** Defines `svc rotas edit`. Sends the given fields only; members that are given replace the former ones. */
export const command = defineCommand<RotaOptions & { yes?: boolean }>({
  summary: "change a rota; members that are given replace the former ones",
  answers: async () => (await import("../../answers/rotas.ts")).rotasEdit,
  arguments: [ROTA_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    {
      flags: "--starts <time>",
      description: "ISO 8601: the turn of this time is the first one's",
      parse: instant("--starts"),
    },
    ...ROTA_OPTIONS,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: ['rotas edit "On call" --handover "1d 09:00" --yes'],
  async run(context, options, [typed]) {
    const api = context.api();
    const before = await getRota(api, typed as string);
    const change = await rotaBody(api, readFragment(context, options.file, ROTA_FIELDS), options);
    return await editedOutcome(context, {
      kind: "rota",
      key: "rota",
      before,
      change,
      hasAgreed: options.yes,
      send: () => api.updateRota(before.id, change as UpdateRota),
    });
  },
});
