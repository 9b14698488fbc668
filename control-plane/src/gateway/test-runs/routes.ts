/** Registers the routes of test runs. */
import { testRunRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createTestRun } from "./create-test-run.ts";
import type { ConnectedRunners } from "./find-runner.ts";
import { getTestRun } from "./get-test-run.ts";

/** @param state the runners that are connected, of which one has to run it */
export function registerTestRunRoutes(app: ApiApp, services: Services, state: ConnectedRunners): void {
  serve(app, testRunRoutes.create, async (request) => ({
    testRun: await createTestRun(contextOf(services, request), { input: request.body, state }),
  }));

  serve(app, testRunRoutes.get, async (request) => ({
    testRun: await getTestRun(contextOf(services, request), request.params),
  }));
}
