/** Routes of test runs. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { createTestRunSchema, TEST_RUN_LIMITS, testRunSchema } from "../resources/test-run.ts";
import { defineRoute } from "./route.ts";

const tag = "Checks";
const answer = z.object({ testRun: testRunSchema });

/** Routes of test runs, by operation. */
export const testRunRoutes = {
  create: defineRoute({
    method: "POST",
    path: "/api/test-runs",
    access: "changes",
    tag,
    summary: "Run a configuration once without storing a check",
    description: `Nothing of it is a result: it reaches no list, coverage, SLO, alert, event or export, and videos are not kept. Ask \`GET /api/test-runs/:id\` how it goes. Beyond ${TEST_RUN_LIMITS.perMinuteMax} a minute of a person or key, or ${TEST_RUN_LIMITS.openMax} open ones of a team, 429 with Retry-After.`,
    body: createTestRunSchema,
    status: 202,
    answer,
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/test-runs/:id",
    access: "reads",
    tag,
    summary: "Tell how a test run goes, and what it found",
    description: "Kept for 15 minutes.",
    params: z.object({ id: idSchema("testRun") }),
    answer,
  }),
  getScreenshot: defineRoute({
    method: "GET",
    path: "/api/test-runs/:id/screenshots/:screenshot",
    access: "reads",
    tag,
    summary: "Fetch a picture of the page that a test run took",
    description: "The paths in a test run's `screenshots` lead here. Kept as long as the test run.",
    params: z.object({
      id: idSchema("testRun"),
      screenshot: z
        .string()
        .regex(/^\d{1,2}-\d{1,2}$/, "expected the numbers of its location and of the picture, as in 0-2"),
    }),
    fileTypes: ["image/jpeg"],
  }),
};
