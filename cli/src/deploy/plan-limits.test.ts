import type { ServiceMeta } from "@svc/contract";
import { expect, it } from "vitest";
import { type MemoryService, memoryService } from "../../test-support/memory-service.ts";
import { setUpProjectFolder } from "../../test-support/project-folder.ts";

const project = setUpProjectFolder();

const CONFIG = `project: p
alertChannels:
  ops: { type: webhook, url: "https://hooks.example.com/" }
monitors:
  - { name: a, type: http, url: "https://a.example.com", frequency: 30s, locations: [loc_us_east, loc_eu_central] }
  - { name: b, type: http, url: "https://b.example.com", frequency: 5m, locations: [loc_us_east] }
`;

/** A service that tells its limits: those of the plan, and what the team has of each cap. */
function limited(
  plan: Partial<ServiceMeta["plan"]>,
  caps: Record<string, [used: number, max: number]> = {},
): MemoryService {
  return memoryService(({ route }) =>
    route === "GET /api/meta"
      ? Response.json({
          version: "0",
          plan: {
            name: "free",
            maxChecks: null,
            maxLocationsPerCheck: null,
            minFrequencySeconds: 10,
            analysisQuotaPerMonth: 0,
            ...plan,
          },
          caps: Object.entries(caps).map(([name, [used, max]]) => ({ name, unit: "records", used, max })),
        })
      : undefined,
  );
}

it("a deploy beyond the plan is refused before anything is changed, and names every limit", async () => {
  project.write("svc.config.yaml", CONFIG);
  const service = limited({ maxLocationsPerCheck: 1, minFrequencySeconds: 60 }, { channels: [5, 5] });
  const ran = await project.run(["deploy", "--json"], service);
  expect(ran.code).toBe(3);
  const { error } = ran.json();
  expect(error).toMatchObject({ code: "plan_limit", details: { exitCode: 3 } });
  expect(error.details.limits).toEqual([
    {
      limit: "channels",
      message: "the team may have 5 notification channels; with this deploy it would have 6",
    },
    {
      limit: "maxLocationsPerCheck",
      message: 'monitor "a": the plan free allows 1 location per check; the config names 2 (field locations)',
    },
    {
      limit: "minFrequencySeconds",
      message: 'monitor "a": the plan free allows a frequency of at least 60 s; the config says 30 s',
    },
  ]);
  expect(service.routes.filter((route) => !route.startsWith("GET "))).toEqual([]);
});

it("diff and a dry run show the plan with the limits, and exit 3", async () => {
  project.write("svc.config.yaml", CONFIG);
  const service = limited({ maxChecks: 1 }, { checks: [0, 100_000] });
  for (const command of [["diff"], ["deploy", "--dry-run"]]) {
    const ran = await project.run(command, service);
    expect([ran.code, ran.stdout]).toEqual([3, expect.stringContaining("Plan: 3 to create")]);
    expect(ran.stdout).toContain(
      "Beyond a limit: the team may have 1 check; with this deploy it would have 2",
    );
  }
});

it("what takes the place of something deleted passes, and so does what stays beyond a limit set later", async () => {
  project.write("svc.config.yaml", CONFIG);
  const caps: Record<string, [number, number]> = { checks: [0, 2], channels: [0, 1] };
  const service = limited({ maxChecks: 2 }, caps);
  expect((await project.run(["deploy"], service)).code).toBe(0);
  caps.checks = [2, 2];
  project.write("svc.config.yaml", CONFIG.replace("name: b", "name: c"));
  expect((await project.run(["deploy", "--dry-run"], service)).code).toBe(3);
  expect((await project.run(["deploy", "--dry-run", "--prune"], service)).code).toBe(0);
  caps.checks = [2, 1];
  project.write("svc.config.yaml", CONFIG);
  expect((await project.run(["deploy"], service)).code).toBe(0);
});
