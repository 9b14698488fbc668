/** The route by which clients learn what the service is and allows. */
import { serviceMetaSchema } from "../resources/service-meta.ts";
import { defineRoute } from "./route.ts";

/** The route of the service's own facts. */
export const metaRoutes = {
  get: defineRoute({
    method: "GET",
    path: "/api/meta",
    access: "reads",
    tag: "Team",
    summary: "Get the service's version, the team's limits with what it uses of them, and what is set up",
    answer: serviceMetaSchema,
  }),
};
