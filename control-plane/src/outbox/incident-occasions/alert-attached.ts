import { alertSummaries, defineOccasion, EVERYBODY } from "./define-occasion.ts";

/** Alerts joined the incident. */
export const alertAttached = defineOccasion("alert_attached", {
  words: "alert joined the incident",
  attachesAlerts: true,
  symbol: "heavy_plus_sign",
  effect: "raise",
  // With no other alert open before these, the ticket had been resolved.
  reopens: ({ payload, alertCount }) => payload.openMemberCount <= alertCount,
  audiences: EVERYBODY,
  summary: alertSummaries,
  example: {
    isAboutAlert: true,
    detail: ({ instanceId }) => ({ attachedAlertInstanceIds: [instanceId] }),
  },
});
