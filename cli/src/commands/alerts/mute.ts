/** Keeps an alert from notifying, for a time or until it is unmuted: `svc alerts mute`. */
import { getInstanceId, INSTANCE_ARGUMENT } from "../../resources/alerts/get-instance-id.ts";
import { defineCommand } from "../../runtime/command.ts";
import { duration } from "../../runtime/option-values.ts";

/** Defines `svc alerts mute`. A mute lasts at most 365 days. */
export const command = defineCommand<{ for?: number }>({
  summary: "keep an alert from notifying",
  answers: async () => (await import("../../answers/alerts.ts")).alertsMute,
  arguments: [INSTANCE_ARGUMENT],
  options: [
    {
      flags: "--for <duration>",
      description: "for so long, e.g. 30m, 2h, 7d (default: until it is unmuted)",
      parse: duration("--for", { min: "1m", max: "365d", units: "smhd" }),
    },
  ],
  examples: ["alerts mute ainst_... --for 2h", "alerts mute Checkout"],
  async run(context, { for: seconds }, [typed]) {
    const api = context.api();
    const id = await getInstanceId(api, typed as string);
    const until =
      seconds === undefined ? null : new Date(context.system.nowMs() + seconds * 1000).toISOString();
    await api.muteAlertInstance(id, until === null ? {} : { until });
    return {
      data: { id, mutedUntil: until },
      print: (out) => out.line(`Muted ${out.text(id)} until ${until ?? "it is unmuted"}.`),
    };
  },
});
