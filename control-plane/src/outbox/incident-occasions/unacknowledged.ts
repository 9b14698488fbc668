import { newId } from "@svc/contract";
import { defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** Nobody had acknowledged the incident when a step of the incident policy was due. */
export const unacknowledged = defineOccasion("unacknowledged", {
  words: "incident unacknowledged",
  symbol: "rotating_light",
  effect: "raise",
  audiences: EVERYBODY,
  summary: ({ payload }) => {
    const minutes = payload.unacknowledgedMinutes ?? 0;
    const forHowLong = minutes === 1 ? "a minute" : `${minutes} minutes`;
    const { onDuty } = payload;
    const whose = onDuty ? ` On duty for ${onDuty.rotaName}: ${onDuty.member}.` : "";
    return `Nobody has acknowledged the incident for ${forHowLong}.${whose} ${payload.hypothesis.summary}`;
  },
  example: {
    detail: () => ({
      unacknowledgedMinutes: 15,
      onDuty: { rotaId: newId("rota"), rotaName: "Example rota", member: "Somebody" },
    }),
  },
});
