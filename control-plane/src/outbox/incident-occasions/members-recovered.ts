import { defineOccasion } from "./define-occasion.ts";

/** The last open alert of the incident ended: a page or a ticket ends now, without waiting for the cool-down. */
export const membersRecovered = defineOccasion("members_recovered", {
  standsFor: "auto_resolved",
  words: "all alerts recovered",
  symbol: "white_check_mark",
  isEnding: true,
  effect: "end",
  audiences: ["page", "ticket"],
});
