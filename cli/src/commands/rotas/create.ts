/** Creates a rota: `svc rotas create`. */
import type { NewRota } from "@svc/contract";
import { readFragment } from "../../fragments/read-fragment.ts";
import { ROTA_FIELDS, ROTA_OPTIONS, type RotaOptions, rotaBody } from "../../fragments/rota-options.ts";
import { instant } from "../../resources/maintenance/window-options.ts";
import { onDutyText } from "../../resources/rotas/describe.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc rotas create`. Flags win over the fields of `--file`. */
export const command = defineCommand<RotaOptions>({
  summary: "create a rota: people who are on duty in turn",
  answers: async () => (await import("../../answers/rotas.ts")).rotasCreate,
  options: [
    { flags: "--name <name>", description: "name" },
    {
      flags: "--starts <time>",
      description: "ISO 8601: the turn of this time is the first one's (default: now)",
      parse: instant("--starts"),
    },
    ...ROTA_OPTIONS,
  ],
  examples: [
    'rotas create --name "On call" --handover "monday 09:00" --timezone Europe/Berlin --member "Ada=Ada by mail" --member "Bea=Bea by mail"',
    "rotas create --file rota.yaml",
  ],
  async run(context, options) {
    const api = context.api();
    const given = await rotaBody(api, readFragment(context, options.file, ROTA_FIELDS), options);
    const body = { startsAt: new Date(context.system.nowMs()).toISOString(), ...given };
    const missing = [
      ...(body.name === undefined ? ["--name"] : []),
      ...(body.handover === undefined ? ["--handover"] : []),
      ...(body.members === undefined ? ["--member"] : []),
    ];
    if (missing.length > 0)
      throw generalError(`missing: ${missing.join(", ")} (or --file)`, "Run: svc rotas create --help");
    const rota = await api.createRota(body as NewRota);
    return {
      data: { rota },
      print: (out) =>
        out.line(`Created ${out.text(rota.name)} (${rota.id}); on duty: ${out.text(onDutyText(rota))}.`),
    };
  },
});
