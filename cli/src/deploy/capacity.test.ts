/** Lines of `diff` and `deploy` about the capacity of the locations that a plan touches. */
import { afterEach, expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { setUpProjectFolder } from "../../test-support/project-folder.ts";

const project = setUpProjectFolder();

const CONFIG = `project: p
monitors:
  - { name: a, type: http, url: "https://a.example.com", frequency: 30s, locations: [loc_us_east, loc_eu_central] }
  - { name: b, type: http, url: "https://b.example.com", frequency: 30s, locations: [loc_us_east, loc_eu_central] }
  - { name: c, type: browser, script: c.ts, frequency: 5m, locations: [loc_us_east] }
`;
const figures = (runsPerHour: number, browserSecondsPerHour: number, shareBasisPoints: number) => ({
  runners: 2,
  runsPerHour,
  browserSecondsPerHour,
  shareBasisPoints,
  reason: null,
});
const ANSWER = {
  locations: [
    {
      locationId: "loc_eu_central",
      name: "Frankfurt",
      before: figures(1_240, 0, 1_200),
      after: figures(2_480, 310, 2_400),
    },
  ],
  warnings: [
    { locationId: "loc_us_east", shareBasisPoints: 9_000, sentence: "Virginia: 90 % would be taken." },
  ],
};
const LINE =
  "Frankfurt: 1,240 -> 2,480 runs an hour, 0 -> 310 browser seconds an hour, 12 % -> 24 % of 2 runners";

const asked: unknown[] = [];
afterEach(() => void asked.splice(0));
/** A service that answers the preview, and remembers what it was asked. */
const capable = (answer: () => Response | undefined = () => Response.json(ANSWER)) =>
  memoryService(({ route, body }) => {
    if (route !== "POST /api/capacity/preview") return undefined;
    asked.push(body.changes);
    return answer();
  });

function writeConfig(text = CONFIG): void {
  project.write("svc.config.yaml", text);
  project.write("c.ts", 'import { test } from "@playwright/test";\ntest("c", async () => {});\n');
}

it.each([[["diff"]], [["deploy", "--dry-run"]], [["deploy"]]])(
  "%s prints a line for each location and the warning, and --json has them",
  async (command) => {
    writeConfig();
    const ran = await project.run(command, capable());
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain(`unchanged\n${LINE}\nWarning: Virginia: 90 % would be taken.\n`);
    const json = (await project.run([...command, "--json"], capable())).json();
    expect(json).toMatchObject({ ok: true, data: { capacity: ANSWER } });
  },
);

it("asks once for monitors that run alike, and only for changes that change what runs", async () => {
  writeConfig();
  const service = capable();
  await project.run(["deploy"], service);
  const both = ["loc_us_east", "loc_eu_central"];
  const after = (more: object) => ({
    type: "http",
    frequencySeconds: 30,
    locations: both,
    enabled: true,
    ...more,
  });
  expect(asked.splice(0)).toEqual([
    [
      { after: after({}), count: 2 },
      {
        after: after({
          type: "browser",
          runKind: "scripted",
          frequencySeconds: 300,
          locations: ["loc_us_east"],
        }),
        count: 1,
      },
    ],
  ]);
  expect((await project.run(["diff"], service)).stdout).not.toContain("runs an hour");
  writeConfig(
    CONFIG.replace("a.example.com", "other.example.com")
      .replace(
        'name: b, type: http, url: "https://b.example.com", frequency: 30s',
        'name: b, type: http, url: "https://b.example.com", frequency: 10s',
      )
      .replace(/ {2}- \{ name: c.*\n/, ""),
  );
  await project.run(["deploy", "--prune"], service);
  const b = service.checks.find(({ name }) => name === "b");
  expect(asked).toEqual([
    [
      { checkId: b?.id, after: after({ frequencySeconds: 10 }) },
      { checkId: expect.any(String), after: null },
    ],
  ]);
});

it.each<[string, () => Response, string]>([
  [
    "a service of an earlier version",
    () => Response.json({ error: "Not found" }, { status: 404 }),
    "earlier version",
  ],
  [
    "a service that fails",
    () => Response.json({ error: "Internal error" }, { status: 500 }),
    "Internal error",
  ],
  ["an answer of another kind", () => Response.json({ alert: {} }), "of another kind"],
])("%s leaves the lines out, and only --verbose says so", async (_, answer, why) => {
  writeConfig();
  for (const command of [["diff"], ["deploy", "--dry-run"], ["deploy"]]) {
    const ran = await project.run(command, capable(answer));
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([0, expect.not.stringContaining("capacity")]);
  }
  const verbose = await project.run(["diff", "--verbose"], capable(answer));
  expect(verbose.stderr).toMatch(new RegExp(`capacity of the locations: not known \\(.*${why}.*\\)`));
  expect((await project.run(["diff", "--json"], capable(answer))).json().data).not.toHaveProperty("capacity");
});

it("more changes than can be asked about leave the lines out", async () => {
  const monitors = Array.from(
    { length: 2_001 },
    (_, at) => `  - { name: m${at}, type: http, url: "https://a.example.com", frequency: ${10 + at}s }`,
  );
  project.write("svc.config.yaml", `project: p\nmonitors:\n${monitors.join("\n")}\n`);
  const ran = await project.run(["diff", "--verbose"], capable());
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining("more than 2000 monitors change")]);
  expect(asked).toEqual([]);
});

it("diff --publish publishes the lines with the plan", async () => {
  writeConfig();
  let published: Record<string, unknown> = {};
  const service = memoryService(({ route, body }) => {
    if (route === "POST /api/capacity/preview") return Response.json(ANSWER);
    if (route !== "POST /api/plans") return undefined;
    published = body;
    return Response.json({ plan: { id: "plan_1", url: "https://svc.example/plans/plan_1", expiresAt: "" } });
  });
  const ran = await project.run(["diff", "--publish"], service);
  expect([ran.code, published.capacity]).toEqual([0, ANSWER.locations]);
});
