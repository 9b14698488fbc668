/** The route of the live stream. */
import { errorSchema } from "../base/error-schema.ts";
import { LIVE_STATES_MAX, liveEventDataSchema, liveQuerySchema } from "../resources/live-event.ts";
import { defineRoute } from "./route.ts";

/** Routes of live updates, by operation. */
export const liveRoutes = {
  stream: defineRoute({
    method: "GET",
    path: "/api/live",
    access: "reads",
    forDisplays: true,
    tag: "Live updates",
    summary: "Follow what changes, as a stream of server-sent events",
    description: [
      "The answer does not end. Each event has a name, and data as JSON; the schema lists the data of all events. `hello` comes first,",
      "`ping` every 15 s while the service sees what is stored. `states` has the checks whose state changed, merged for 250 ms, at most",
      `${LIVE_STATES_MAX} in an event; \`results\` has every result of the checks that \`checkId\` names. The other events say what to read anew.`,
      "Send `Last-Event-ID` when you connect again: what was missed follows, or `resync`, after which everything is to be read anew.",
      "A person, a key or a display link may hold 20 streams at a replica: 429 beyond that. A display link's stream has the events of states, alerts",
      "and changes alone.",
    ].join(" "),
    query: liveQuerySchema,
    events: liveEventDataSchema,
    otherAnswers: { 404: errorSchema.describe("`checkId` names a check that the team does not have") },
  }),
};
