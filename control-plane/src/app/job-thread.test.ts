import { newId } from "@svc/contract";
import { afterAll, describe, expect, it } from "vitest";
import { createTestApp } from "../../test-support/app.ts";
import { generationJob } from "../checks/api-specs/generation-job.ts";
import { baselineJob } from "../checks/deploy-baselines/baseline-job.ts";
import { recurrenceJob } from "../checks/maintenance/recurrence-job.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { renderTemplateJob } from "../outbox/channels/template-jobs.ts";
import { JobOverrun, TeamQueueFull, ThreadPool, threadPool } from "../platform/threads/thread-pool.ts";

/** Takes the template engine a minute to compile. */
const SLOW_TEMPLATE = `{{jsonBody ${"(a ".repeat(8_000)}${")".repeat(8_000)}}}`;
/** Never occurs, which takes centuries of days to find out. */
const SLOW_RULE = "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30";
const context = {
  eventId: "ievt_1",
  eventType: "opened",
  incidentId: "inc_1",
  teamId: "team_1",
  actor: null,
  occurredAt: "2026-06-01T12:00:00.000Z",
  payload: {},
  incident: {},
};
const rendering = (template: string, teamId = newId("team")) => ({
  teamId,
  input: { template, context },
});

/** Counts how often a timer of 10 ms fires while the work goes on. */
async function ticksDuring(work: Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  await work.catch(() => undefined);
  clearInterval(timer);
  return ticks;
}

const pool = new ThreadPool();
afterAll(() => Promise.all([pool.close(), threadPool.close()]));

describe("a job thread", () => {
  it.each([
    ["a template", () => pool.run(renderTemplateJob, rendering(SLOW_TEMPLATE))],
    [
      "a list of resources",
      () => {
        const input = Buffer.from(`{"resources":[${'{"name":"x"},'.repeat(49_999)}{}]}`);
        return pool.run(baselineJob, { teamId: newId("team"), input });
      },
    ],
    [
      "the operations of a spec",
      () => {
        const operation = { method: "GET", path: "/p", servers: ["https://e.org"], security: [] };
        const described = { ...operation, deprecated: false, parameters: [], responses: ["200"] };
        const plan = {
          specId: newId("spec"),
          locations: ["loc_us_east"],
          frequencySeconds: 60,
          validateHeaders: false,
          methods: ["GET" as const],
          credentials: {},
        };
        const operationsText = JSON.stringify(Array.from({ length: 5_000 }, () => described));
        return pool.run(generationJob, { teamId: newId("team"), input: { operationsText, plan } });
      },
    ],
    [
      "a rule",
      () =>
        pool.run(recurrenceJob, {
          teamId: newId("team"),
          input: {
            recurrence: { startsAtMs: 0, durationMs: 1, rule: SLOW_RULE, timezone: "UTC" },
            fromMs: 0,
            untilMs: 1,
          },
        }),
    ],
  ])("works on %s while the event loop goes on", async (_title, run) => {
    await pool.run(renderTemplateJob, rendering("{}"));
    const before = performance.eventLoopUtilization();
    expect(await ticksDuring(run())).toBeGreaterThan(3);
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.8);
  });

  it("cuts a job off that takes too long, and does the next one", async () => {
    await expect(pool.run(renderTemplateJob, rendering(SLOW_TEMPLATE))).rejects.toThrow(JobOverrun);
    expect(await pool.run(renderTemplateJob, rendering("[1]"))).toEqual({ ok: true, text: "[1]" });
  });

  it("does one team's quick job while another team's slow ones wait", async () => {
    const slowTeam = newId("team");
    let ended = 0;
    const slow = Array.from({ length: 6 }, () =>
      pool.run(renderTemplateJob, rendering(SLOW_TEMPLATE, slowTeam)).catch(() => ended++),
    );
    await pool.run(renderTemplateJob, rendering("[1]"));
    expect(ended).toBeLessThan(3);
    await Promise.all(slow);
  });

  it("refuses a team's jobs when too many wait, and no other team's", async () => {
    const busyTeam = newId("team");
    const outcomes = Array.from({ length: 150 }, () =>
      pool.run(renderTemplateJob, rendering("[1]", busyTeam)).catch((error) => error),
    );
    expect(await pool.run(renderTemplateJob, rendering("[2]"))).toMatchObject({ ok: true });
    const refused = (await Promise.all(outcomes)).filter((outcome) => outcome instanceof TeamQueueFull);
    expect(refused.length).toBeGreaterThan(40);
  });
});

describe("what takes too long is refused when it is stored", () => {
  it.each([
    ["nested expressions", SLOW_TEMPLATE, "take too long to compile"],
    ["many blocks", "{{#a}}N{{/a}}".repeat(201), "at most 200 blocks; this one has 201"],
    ["many tags", "{{a}}".repeat(2_001), "at most 2000 tags; this one has 2001"],
  ])("a template of %s", async (_title, body, message) => {
    const test = await createTestApp({ register: registerChannelRoutes });
    const channel = { type: "webhook", url: "http://127.0.0.1:1/" };
    const path = "/api/notification-channels";
    const { id } = (await test.call("POST", path, { name: "hook", channel })).body.channel;
    const overridden = (text: string) => ({
      incidentTemplate: { channelType: "webhook", overrides: { opened: { body: text } } },
    });
    const refused = await test.call("PUT", `${path}/${id}`, overridden(body));
    expect([refused.status, refused.body.details.fieldErrors.incidentTemplate?.[0]]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
    expect((await test.call("PUT", `${path}/${id}`, overridden("{{incident.title"))).status).toBe(200);
    await test.close();
  });

  it("a rule that never occurs", async () => {
    const test = await createTestApp({ register: registerMaintenanceRoutes });
    const window = {
      name: "never",
      checkIds: "all",
      startsAt: "2026-06-02T00:00:00Z",
      endsAt: "2026-06-02T01:00:00Z",
      recurring: true,
      recurrenceRule: SLOW_RULE,
    };
    const posted = test.call("POST", "/api/maintenance-windows", window);
    expect(await ticksDuring(posted)).toBeGreaterThan(3);
    const { status, body } = await posted;
    expect([status, body.details.fieldErrors.recurrenceRule]).toEqual([
      400,
      ["takes too long to work out: does it ever occur?"],
    ]);
    await test.close();
  });
});
