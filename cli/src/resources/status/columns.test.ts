import { expect, it } from "vitest";
import { fakeService, runSvc } from "../../../test-support/run-svc.ts";
import { aCheck, aHealth } from "../../../test-support/samples.ts";

it("where a terminal is narrow the newest results stay in sight", async () => {
  const slotAt = "2026-06-01T11:59:00.000Z";
  const results = Array.from({ length: 40 }, (_, i) => ({
    locationId: "loc_us_east",
    slotAt,
    responseTimeMs: 100,
    status: i === 39 ? "failure" : "success",
  }));
  const { fetch } = fakeService({
    "GET /api/checks": { checks: [aCheck("A monitor with a name that is rather long")] },
    "GET /api/checks/health": {
      checks: [aHealth("chk_a_monitor_with_a_name_that_is_rather_long", { results })],
    },
  });
  const { stdout } = await runSvc(["status", "--no-color"], {
    env: { SVC_API_KEY: "sk_test" },
    fetch,
    isTty: true,
    columns: 80,
  });
  expect(stdout).toMatch(/ …█{2,}✗/);
});
