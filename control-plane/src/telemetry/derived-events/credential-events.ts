/** Definitions of the events of keys, which give access to a team's records or let a runner report results. */
import { defineChangeEvent } from "./define-change-event.ts";

const WORDS: Readonly<Record<string, string>> = { api_key: "API key", runner_key: "runner key" };
const TYPES = ["api_key", "runner_key"] as const;

/** Recorded when an API key or a runner key is made. */
export const credentialCreated = defineChangeEvent({
  type: "synthetics.credential.created",
  causedBy: { action: "created", types: TYPES, severity: "info" },
  summary: ({ resourceType = "", resourceName }) => `the ${WORDS[resourceType]} ${resourceName} was made`,
});

/** Recorded when an API key or a runner key is revoked. */
export const credentialRevoked = defineChangeEvent({
  type: "synthetics.credential.revoked",
  causedBy: { action: "deleted", types: TYPES, severity: "info" },
  summary: ({ resourceType = "", resourceName }) => `the ${WORDS[resourceType]} ${resourceName} was revoked`,
});
