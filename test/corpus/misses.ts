/** Why the true causes of some recordings are not named first. The test holds this list against the answers, both ways. */

/** The reason of each miss, by the recording's id. */
export const MISSES: Readonly<Record<string, string>> = {
  "body-too-large":
    "says that what is looked for is not in the first 10 MiB, but not that the body is too long",
  "flapping-errors": "an incident opens at the second failure in a row, when nothing has come and gone yet",
  "flapping-refused": "an incident opens at the first failures, when nothing has come and gone yet",
  "flow-element-gone":
    "a click that waits for its element ends as a timeout, which counts as no answer in time",
  "name-leads-to-a-dead-address": "results do not keep the address that a name led to while all was well",
  "name-leads-to-another-site": "results do not keep the address that a name led to while all was well",
  "server-error-partly-recovered": "a recovery location by location looks like an outage of some locations",
  "well-two-errors-long-ago":
    "flapping counts results, not time: on a check every 15 minutes, two errors hours apart are enough",
};
