/**
 * The requests of a browser run by host. Those to the hosts of the team's third-party patterns are counted; no others
 * are kept.
 */
import { countRunRequests } from "../../third-party-requests/count-run-requests.ts";
import { defineFactStore, NO_ADDITIONS } from "./fact-store.ts";

/** Counts the requests by pattern and host. */
export const requestsFactStore = defineFactStore("requests", async (trx, facts) => {
  await countRunRequests(
    trx,
    facts.map(({ checkKey, slotMs, value }) => ({ checkKey, slotMs, hosts: value.hosts })),
  );
  return NO_ADDITIONS;
});
