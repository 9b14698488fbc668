/** Changes an SLO, after a question: `svc slos edit`. */
import type { UpdateSlo } from "@svc/contract";
import { readFragment } from "../../fragments/read-fragment.ts";
import { SLO_FIELDS, SLO_OPTIONS, type SloOptions, sloBody } from "../../fragments/slo-options.ts";
import { getSlo, SLO_ARGUMENT } from "../../resources/slos/get-slo.ts";
import { defineCommand } from "../../runtime/command.ts";
import { editedOutcome } from "../../runtime/edited-outcome.ts";

/** Defines `svc slos edit`. Sends the given fields only; a list of channels replaces the former one. */
export const command = defineCommand<SloOptions & { yes?: boolean }>({
  summary: "change an SLO; a list of channels replaces the former one",
  answers: async () => (await import("../../answers/slos.ts")).slosEdit,
  arguments: [SLO_ARGUMENT],
  options: [
    { flags: "--name <name>", description: "new name" },
    ...SLO_OPTIONS,
    { flags: "--yes", description: "don't ask" },
  ],
  examples: ['slos edit "Home page is up" --target 99.5% --yes', "slos edit slo_... --no-burn-rate-alerts"],
  async run(context, options, [typed]) {
    const api = context.api();
    const before = await getSlo(api, typed as string);
    const change = await sloBody(api, readFragment(context, options.file, SLO_FIELDS), options);
    return await editedOutcome(context, {
      kind: "SLO",
      key: "slo",
      before,
      change,
      hasAgreed: options.yes,
      send: () => api.updateSlo(before.id, change as UpdateSlo),
    });
  },
});
