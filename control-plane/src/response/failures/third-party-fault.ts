import { listed } from "@svc/contract";
import { defineFailureReason } from "./define-reason.ts";

const LOADED = new Set(["script", "assertion", "timeout"]);
const HOSTS_NAMED_MAX = 3;

/** The page came, but not what it loads from other parties. */
export const thirdPartyFault = defineFailureReason("third_party_fault", {
  explains: ({ category, evidence }) =>
    LOADED.has(category ?? "") && evidence !== undefined && evidence.failedHosts.length > 0,
  phrase: (failures) => {
    const hosts = [...new Set(failures.flatMap(({ evidence }) => evidence?.failedHosts ?? []))];
    return `loads, but not what its page needs from ${listed(hosts, HOSTS_NAMED_MAX)}, another party`;
  },
  advice: "look at the status of that party",
  isForeign: true,
});
