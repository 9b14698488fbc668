/** Routes that tell how a team stands as a whole. */
import { overviewSchema } from "../resources/overview.ts";
import { teamCoverageSchema } from "../resources/team-coverage.ts";
import { defineRoute } from "./route.ts";

/** Routes of the overview, by operation. */
export const overviewRoutes = {
  get: defineRoute({
    method: "GET",
    path: "/api/overview",
    access: "reads",
    isReport: true,
    forDisplays: true,
    tag: "Overview",
    summary: "Tell how the team stands: what fails, who is on it, and whether every slot is accounted for",
    description: [
      "One small answer for dashboards and walls, up to a second old. What is counted over a day or longer (slots, response times, SLOs,",
      "certificates) is up to 5 s old, and up to a minute for teams of more than 500 checks. A display session gets it without people, incidents,",
      "changes, texts of errors, and names but those of checks and locations.",
    ].join(" "),
    answer: overviewSchema,
  }),
  getCoverage: defineRoute({
    method: "GET",
    path: "/api/coverage",
    access: "reads",
    isReport: true,
    tag: "Overview",
    summary: "Count the slots of all checks of the last 24 hours by location, with why some have no result",
    description: "The sums of `GET /api/checks/:id/coverage?range=24h` over all checks.",
    answer: teamCoverageSchema,
  }),
};
