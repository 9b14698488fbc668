/** The route that tells how a team stands as a whole. */
import { overviewSchema } from "../resources/overview.ts";
import { defineRoute } from "./route.ts";

/** The route of the overview. */
export const overviewRoutes = {
  get: defineRoute({
    method: "GET",
    path: "/api/overview",
    access: "reads",
    tag: "Overview",
    summary: "Tell how the team stands: what fails, who is on it, and whether every slot is accounted for",
    description: [
      "One small answer for dashboards and walls, up to 2 s old. What is counted over a day or longer (slots, response times, SLOs,",
      "certificates) is up to 5 s old, and up to a minute for teams of more than 500 checks.",
    ].join(" "),
    answer: overviewSchema,
  }),
};
