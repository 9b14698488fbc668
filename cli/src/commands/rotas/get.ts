/** Shows a rota: `svc rotas get`. */
import { printFields, printSection } from "../../output/print-fields.ts";
import { listMaskedChannels } from "../../resources/channels/get-channel.ts";
import { handoverText, onDutyText } from "../../resources/rotas/describe.ts";
import { getRota, ROTA_ARGUMENT } from "../../resources/rotas/get-rota.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc rotas get`. */
export const command = defineCommand({
  summary: "show a rota: who is on duty, the handover, its members and overrides",
  answers: async () => (await import("../../answers/rotas.ts")).rotasOne,
  arguments: [ROTA_ARGUMENT],
  examples: ['rotas get "On call"', "rotas get rota_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const [rota, channels] = await Promise.all([getRota(api, typed as string), listMaskedChannels(api)]);
    const names = new Map<string, string>(channels.map(({ id, name }) => [id, name]));
    return {
      data: { rota },
      print: (out) => {
        printFields(out, [
          ["Name", rota.name],
          ["Id", rota.id],
          ["On duty", onDutyText(rota)],
          ["Handover", `${handoverText(rota.handover)}, ${rota.timezone}`],
          ["First turn", rota.startsAt],
        ]);
        printSection(out, "Members in the order of their turns");
        for (const { name, channelIds } of rota.members)
          out.line(`  ${out.text(`${name}: ${channelIds.map((id) => names.get(id) ?? id).join(", ")}`)}`);
        if (rota.overrides.length > 0) printSection(out, "Overrides");
        for (const { from, to, member } of rota.overrides)
          out.line(`  ${out.text(`${from} to ${to}: ${member}`)}`);
      },
    };
  },
});
