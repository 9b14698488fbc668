import { defineFailureReason } from "./define-reason.ts";

const UNAVAILABLE = 503;

/** The target says that it is out of service for a time: 503 with the time after which to come back. */
export const maintenancePage = defineFailureReason("maintenance_page", {
  explains: ({ httpStatusCode, evidence }) =>
    httpStatusCode === UNAVAILABLE && evidence?.asksToComeBack === true,
  phrase: () => "shows a maintenance page: it answers 503 and says when to come back",
  advice: "ask whether a maintenance is under way, or its page was left on",
  isForeign: true,
});
