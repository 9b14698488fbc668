/** Registers the routes of test runs. */
import { notFound, testRunRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createTestRun } from "./create-test-run.ts";
import type { ConnectedRunners } from "./find-runner.ts";
import { getTestRun } from "./get-test-run.ts";
import { readTestRunPicture } from "./store.ts";

/** The runners that are connected, of which one has to run it. */
export interface TestRunFleet {
  state: ConnectedRunners;
  /** Brings `state` up to date: another replica may have admitted a runner since. */
  refreshFleet: () => Promise<void>;
}

/** Registers the routes that start a test run on a connected runner and tell how it goes. */
export function registerTestRunRoutes(app: ApiApp, services: Services, fleet: TestRunFleet): void {
  const { state, refreshFleet } = fleet;
  serve(app, testRunRoutes.create, async (request) => {
    await refreshFleet();
    return { testRun: await createTestRun(contextOf(services, request), { input: request.body, state }) };
  });

  serve(app, testRunRoutes.get, async (request) => ({
    testRun: await getTestRun(contextOf(services, request), request.params),
  }));

  serve(app, testRunRoutes.getScreenshot, async (request, reply) => {
    const { services: reading, teamId } = contextOf(services, request);
    const nowMs = services.clock.nowMs();
    const { id, screenshot } = request.params;
    const [at = 0, position = 0] = screenshot.split("-").map(Number);
    const jpeg = await readTestRunPicture(reading.knex, { teamId, id, at, position, nowMs });
    if (!jpeg) throw notFound("Screenshot");
    return reply
      .type("image/jpeg")
      .headers({
        "cache-control": "private, max-age=900, immutable",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
      })
      .send(jpeg);
  });
}
