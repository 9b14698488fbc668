/** Commands that do something with one alert; they differ by their verb only. */
import type { ApiClient } from "@svc/contract";
import { type Command, defineCommand } from "../../runtime/command.ts";
import { getInstanceId, INSTANCE_ARGUMENT } from "./get-instance-id.ts";

const VERBS = {
  ack: {
    summary: "acknowledge an active alert",
    answers: async () => (await import("../../answers/alerts.ts")).alertsAck,
    act: (api: ApiClient, id: string) => api.acknowledgeAlertInstance(id),
    done: "Acknowledged",
  },
  resolve: {
    summary: "resolve an alert: it is over, whatever its monitor measures",
    answers: async () => (await import("../../answers/alerts.ts")).alertsResolve,
    act: (api: ApiClient, id: string) => api.resolveAlertInstance(id),
    done: "Resolved",
  },
  unmute: {
    summary: "let a muted alert notify again",
    answers: async () => (await import("../../answers/alerts.ts")).alertsUnmute,
    act: (api: ApiClient, id: string) => api.unmuteAlertInstance(id),
    done: "Unmuted",
  },
} as const;

/** Builds the command of a verb. An alert whose state doesn't allow the verb is a conflict, and nothing is changed. */
export function alertCommand(verb: keyof typeof VERBS): Command {
  const { summary, answers, act, done } = VERBS[verb];
  return defineCommand({
    summary,
    answers,
    arguments: [INSTANCE_ARGUMENT],
    examples: [`alerts ${verb} ainst_...`, `alerts ${verb} Checkout`],
    async run(context, _options, [typed]) {
      const api = context.api();
      const id = await getInstanceId(api, typed as string);
      const { success: _, ...answer } = await act(api, id);
      return { data: { id, ...answer }, print: (out) => out.line(`${done} ${out.text(id)}.`) };
    },
  });
}
