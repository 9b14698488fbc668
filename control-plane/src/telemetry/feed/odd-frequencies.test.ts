import { expect, it } from "vitest";
import { createAlertTest } from "../../../test-support/alerting.ts";
import { createTestClock } from "../../../test-support/app.ts";
import { registerEventRoutes } from "./routes.ts";

it("the feed answers whatever the frequencies of the checks are", async () => {
  const test = await createAlertTest({ register: registerEventRoutes, clock: createTestClock(Date.now()) });
  for (const frequencySeconds of [70, 110]) {
    await test.newCheck({ frequencySeconds });
    const { status } = await test.call("GET", "/api/events?range=30d&limit=7");
    expect(status).toBe(200);
  }
  await test.close();
});
