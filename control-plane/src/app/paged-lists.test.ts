import { createApiClient } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { registerChangeRoutes } from "../accounts/change-log/routes.ts";
import { registerAlertRoutes } from "../alerting/routes.ts";
import { registerDeployBaselineRoutes } from "../checks/deploy-baselines/routes.ts";
import { registerLabelRoutes } from "../checks/labels/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { registerResultRoutes } from "../results/routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerLabelRoutes(app, services, []);
      registerResultRoutes(app, services);
      registerAlertRoutes(app, services);
      registerChannelRoutes(app, services);
      registerMaintenanceRoutes(app, services);
      registerDeployBaselineRoutes(app, services);
      registerChangeRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

const post = async (url: string, body: Record<string, unknown>, method: "POST" | "PUT" = "POST") => {
  const answer = await test.call(method, url, body);
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};

type Entry = Record<string, unknown>;

/** A list with three records of its own team. */
interface List {
  url: string;
  name: string;
  add(n: number): Promise<unknown>;
  /** Name of a record by which the test knows it; default its `name`. */
  nameOf?(entry: Entry): unknown;
}

async function lists(): Promise<List[]> {
  const { check } = await post("/api/checks", aCheck({ name: "Ruled" }) as unknown as Entry);
  const { channel } = await post("/api/notification-channels", aWebhook("Ruled"));
  const rule = (n: number) => ({
    name: `R ${n}`,
    conditions: [{ type: "consecutive_failures" }],
    channelIds: [channel.id],
  });
  return [
    {
      url: "/api/checks",
      name: "checks",
      add: (n) => post("/api/checks", aCheck({ name: `C ${n}` }) as unknown as Entry),
    },
    {
      url: "/api/notification-channels",
      name: "channels",
      add: (n) => post("/api/notification-channels", aWebhook(`N ${n}`)),
    },
    {
      url: "/api/maintenance-windows",
      name: "maintenanceWindows",
      add: (n) =>
        post("/api/maintenance-windows", {
          name: `W ${n}`,
          startsAt: "2027-01-01T00:00:00.000Z",
          endsAt: "2027-01-01T01:00:00.000Z",
          checkIds: "all",
        }),
    },
    {
      url: `/api/checks/${check.id}/alerts`,
      name: "alerts",
      add: (n) => post(`/api/checks/${check.id}/alerts`, rule(n)),
      nameOf: ({ id }) => id,
    },
    {
      url: "/api/alerts",
      name: "alerts",
      add: (n) => post(`/api/checks/${check.id}/alerts`, rule(n)),
      nameOf: ({ id }) => id,
    },
    {
      url: "/api/deploy-baselines",
      name: "baselines",
      add: (n) => post(`/api/deploy-baselines/p${n}`, { resources: [] }, "PUT"),
      nameOf: ({ project }) => project,
    },
    {
      url: "/api/changes",
      name: "changes",
      add: (n) => post("/api/checks", aCheck({ name: `L ${n}` }) as unknown as Entry),
      nameOf: ({ id }) => id,
    },
  ];
}

const aWebhook = (name: string) => ({ name, channel: { type: "webhook", url: "http://127.0.0.1:9/" } });

describe("a list that is read page by page", () => {
  it("has every record once, in the order of the whole list, also while records are added", async () => {
    for (const { url, name, add, nameOf = (entry: Entry) => entry.name } of await lists()) {
      for (let n = 0; n < 7; n++) {
        test.clock.advance(n % 2);
        await add(n);
      }
      const whole = (await test.call("GET", `${url}${url === "/api/changes" ? "?limit=200" : ""}`)).body[
        name
      ];
      const names = whole.map(nameOf);
      const seen: unknown[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const { status, body } = await test.call("GET", `${url}?limit=2${cursor ? `&cursor=${cursor}` : ""}`);
        expect([url, status]).toEqual([url, 200]);
        expect(body[name].length).toBeLessThanOrEqual(2);
        seen.push(...body[name].map(nameOf));
        cursor = body.nextCursor;
        if (pages++ === 1) {
          test.clock.advance(1);
          await add(100);
        }
      } while (cursor !== undefined);
      // The oldest-first and by-name lists show the record that was added behind the page.
      expect([url, seen.filter((one) => names.includes(one))]).toEqual([url, names]);
      expect(new Set(seen).size).toBe(seen.length);
    }
  });

  it("is put together again by the client", async () => {
    for (let n = 0; n < 5; n++)
      await post(`/api/deploy-baselines/large-${n}`, { resources: largeResources() }, "PUT");
    const requests: string[] = [];
    const client = createApiClient({
      baseUrl: "http://svc",
      fetch: (async (input: string) => {
        requests.push(input);
        const answer = await test.app.inject({
          url: input.slice("http://svc".length),
          headers: test.team.byKey,
        });
        return new Response(answer.body, { status: answer.statusCode });
      }) as typeof fetch,
    });
    const baselines = await client.listDeployBaselines();
    expect(requests.length).toBeGreaterThan(1);
    expect(baselines.filter(({ project }) => project.startsWith("large-"))).toHaveLength(5);
    expect(baselines.find(({ project }) => project === "large-1")?.resources).toEqual(largeResources());
  });

  it("refuses a cursor of another list", async () => {
    const { body } = await test.call("GET", "/api/checks?limit=1");
    const { status, body: error } = await test.call("GET", `/api/alerts?cursor=${body.nextCursor}`);
    expect([status, Object.keys(error.details.fieldErrors)]).toEqual([400, ["cursor"]]);
  });
});

/** Resources of a deploy, more than 2 MiB of them. */
function largeResources() {
  return Array.from({ length: 4_000 }, (_, n) => ({
    kind: "check",
    name: `${n} ${"x".repeat(500)}`,
    resourceId: `chk_${n}`,
    hash: "0".repeat(64),
    updatedAt: "2026-01-01T00:00:00.000Z",
  }));
}

it("the summary of the checks leaves out what is large", async () => {
  const { body } = await test.call("GET", "/api/checks?view=summary&limit=1");
  expect(body.checks[0]).not.toHaveProperty("configJson");
  expect(body.checks[0]).toMatchObject({ id: expect.any(String), locations: ["loc_us_east"] });
});

describe("results", () => {
  const SLOT_MS = Date.UTC(2026, 4, 21);
  async function storeLarge(count: number, bytes: number) {
    const { knex } = test.services;
    const { check } = await post("/api/checks", aCheck({ name: `Large ${count}` }) as unknown as Entry);
    const [checkKey, locationKey] = [
      await keyOfCheck(knex, check.id),
      await keyOfLocation(knex, "loc_us_east"),
    ];
    await storeResults(
      knex,
      Array.from({ length: count }, (_, n) =>
        aResult(
          { checkKey, locationKey, slotMs: SLOT_MS + n * 60_000 },
          { status: 2, detail: { errorMessage: `${n}`, notes: ["x".repeat(bytes)] } },
        ),
      ),
    );
    return check.id as string;
  }

  it("with detail end a page after 8 MiB, and go on behind it", async () => {
    const id = await storeLarge(60, 200_000);
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const url = `/api/checks/${id}/results?detail=true&limit=200${cursor ? `&cursor=${cursor}` : ""}`;
      const response = await test.app.inject({ url, headers: test.team.byKey });
      expect(response.rawPayload.length).toBeLessThan(8.1 * 1024 ** 2);
      const body = response.json();
      seen.push(...body.results.map((result: { errorMessage: string }) => result.errorMessage));
      cursor = body.nextCursor;
      pages++;
    } while (cursor !== undefined);
    expect(pages).toBe(2);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => String(59 - n)));
  });

  it("are paged by cursor in the order of the whole list, over several locations", async () => {
    const { knex } = test.services;
    const locations = ["loc_us_east", "loc_eu_west"];
    const { check } = await post("/api/checks", aCheck({ locations }) as unknown as Entry);
    const checkKey = await keyOfCheck(knex, check.id);
    const keys = await Promise.all(locations.map((location) => keyOfLocation(knex, location)));
    await storeResults(
      knex,
      Array.from({ length: 9 }, (_, n) =>
        keys.map((locationKey) => aResult({ checkKey, locationKey, slotMs: SLOT_MS + n * 60_000 })),
      ).flat(),
    );
    const url = `/api/checks/${check.id}/results`;
    const ids = (body: { results: { id: string }[] }) => body.results.map(({ id }) => id);
    const whole = ids((await test.call("GET", url)).body);
    expect(whole).toHaveLength(18);
    const seen: string[] = [];
    let cursor = "";
    do {
      const { body } = await test.call("GET", `${url}?limit=5${cursor && `&cursor=${cursor}`}`);
      seen.push(...ids(body));
      cursor = body.nextCursor ?? "";
    } while (cursor !== "");
    expect(seen).toEqual(whole);
  });

  it("too far back for an offset are refused, with the way to get there", async () => {
    const { knex } = test.services;
    const { check } = await post("/api/checks", aCheck() as unknown as Entry);
    const [checkKey, locationKey] = [
      await keyOfCheck(knex, check.id),
      await keyOfLocation(knex, "loc_us_east"),
    ];
    await knex.raw(
      `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
       SELECT ?, ?, ?::bigint + n * 1000, 1, 0, 0, 0, 1 FROM generate_series(1, 20010) n`,
      [checkKey, locationKey, SLOT_MS],
    );
    const url = `/api/checks/${check.id}/results`;
    expect((await test.call("GET", `${url}?offset=20000`)).body.results).toHaveLength(10);
    const { status, body } = await test.call("GET", `${url}?offset=20001`);
    expect([status, body.details.fieldErrors.offset]).toEqual([400, [expect.stringContaining("nextCursor")]]);
  });
});
