/** The route by which a runner delivers results over REST. */
import { runnerResultsAnswerSchema, runnerResultsSchema } from "../wire/runner-results.ts";
import { defineRoute } from "./route.ts";

/** Routes of runners, by operation. */
export const runnerResultRoutes = {
  deliver: defineRoute({
    method: "POST",
    path: "/api/runner/results",
    access: "runner",
    tag: "Runners",
    summary: "Deliver results of a runner",
    body: runnerResultsSchema,
    answer: runnerResultsAnswerSchema,
  }),
};
