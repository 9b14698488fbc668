/** Records that belong to a check which no config can describe, or of which there are too many. */
import type { RecordAsCode } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../test-support/alerting.ts";
import { registerSloRoutes } from "../alerting/slos/routes.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { registerRotaRoutes } from "../response/rotas/routes.ts";
import { registerStatusPageRoutes } from "../status-pages/routes.ts";
import { registerConfigRoutes } from "./routes.ts";

let test: AlertTest;
let onePageId: string;
let channelId: string;
let windows = 0;
beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerConfigRoutes(app, services);
      registerSloRoutes(app, services);
      registerMaintenanceRoutes(app, services);
      registerChannelRoutes(app, services);
      registerRotaRoutes(app, services);
      registerStatusPageRoutes(app, services);
    },
  });
  const { body } = await test.call("POST", "/api/checks", {
    name: "One page",
    type: "browser",
    browserConfig: { browserMode: "url", url: "https://shop.example/" },
    locations: ["loc_us_east"],
  });
  onePageId = body.check.id;
  const channel = { name: "Hook", channel: { type: "webhook", url: "https://hooks.example/s3cret" } };
  channelId = (await test.call("POST", "/api/notification-channels", channel)).body.channel.id;
});
afterAll(() => test.close());

async function asCode(path: string): Promise<RecordAsCode> {
  const { status, body } = await test.call("GET", `${path}/as-code`);
  expect(status).toBe(200);
  return body;
}

const window = async (checkIds: unknown) => {
  const { body } = await test.call("POST", "/api/maintenance-windows", {
    name: `Night ${++windows}`,
    startsAt: "2030-01-01T00:00:00Z",
    endsAt: "2030-01-01T02:00:00Z",
    checkIds,
  } as never);
  return `/api/maintenance-windows/${body.maintenanceWindow.id}`;
};

const httpCheck = async (name: string) => {
  const { body } = await test.call("POST", "/api/checks", {
    name,
    type: "http",
    httpConfig: { url: "https://shop.example/" },
    locations: ["loc_us_east"],
  });
  return body.check.id as string;
};

describe("what no config can describe is answered with the reason", () => {
  it("for an SLO", async () => {
    const { body } = await test.call("POST", "/api/slos", {
      name: "Up",
      checkId: onePageId,
      targetBasisPoints: 9900,
      windowDays: 30,
    });
    expect(await asCode(`/api/slos/${body.slo.id}`)).toMatchObject({
      files: [],
      secrets: [],
      reason: expect.stringContaining("a browser check of a single URL"),
    });
  });

  it("for an alert rule", async () => {
    const { body } = await test.call("POST", `/api/checks/${onePageId}/alerts`, {
      conditions: [{ type: "consecutive_failures" }],
      channelIds: [channelId],
    });
    expect(await asCode(`/api/alerts/${body.id}`)).toMatchObject({
      files: [],
      reason: expect.stringContaining("a browser check of a single URL"),
    });
  });

  it("for a maintenance window of such a check", async () => {
    expect(await asCode(await window([onePageId]))).toMatchObject({
      files: [],
      reason: expect.stringContaining("holds for One page"),
    });
  });

  it("for a maintenance window whose checks are deleted", async () => {
    const id = await httpCheck("Short-lived");
    const path = await window([id]);
    expect((await asCode(path)).files).toHaveLength(1);
    await test.call("DELETE", `/api/checks/${id}`);
    expect(await asCode(path)).toMatchObject({ files: [], reason: expect.stringContaining("are deleted") });
  });

  it("for a maintenance window of two checks with one name", async () => {
    const ids = [await httpCheck("Twin"), await httpCheck("Twin")];
    expect(await asCode(await window(ids))).toMatchObject({
      files: [],
      reason: expect.stringContaining("2 monitors named Twin"),
    });
  });

  it("for checks with more than 8 MiB of settings", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 17; i++) {
      const { body } = await test.call("POST", "/api/checks", {
        name: `Flow ${i}`,
        type: "browser",
        browserConfig: { browserMode: "scripted", script: `// ${"x".repeat(500_000)}` },
        locations: ["loc_us_east"],
      });
      ids.push(body.check.id);
    }
    expect(await asCode(await window(ids))).toMatchObject({
      files: [],
      reason: expect.stringContaining("more than 8 MiB"),
    });
    const { body } = await test.call("GET", `/api/as-code?checkIds=${ids.join(",")}`);
    expect([body.files, body.reason]).toEqual([[], expect.stringContaining("run svc pull")]);
    const all = await test.call("GET", "/api/as-code");
    expect([all.body.files, all.body.reason]).toEqual([[], expect.stringContaining("more than 8 MiB")]);
  });
});

it("a channel of another team is not found, nor are its checks among those of a selection", async () => {
  const { bySession } = await test.createTeam();
  for (const path of [
    `/api/notification-channels/${channelId}/as-code`,
    `/api/as-code?checkIds=${onePageId}`,
  ])
    expect((await test.call("GET", path, undefined, bySession)).status).toBe(404);
});

it("a selection names at most 100 checks", async () => {
  const { status, body } = await test.call(
    "GET",
    `/api/as-code?checkIds=${Array.from({ length: 101 }, () => onePageId).join(",")}`,
  );
  expect([status, body.details.fieldErrors]).toEqual([400, { checkIds: ["at most 100 ids"] }]);
});

describe("a rota", () => {
  it("is written with the channels of its members, whose credentials are named alone", async () => {
    const { body } = await test.call("POST", "/api/rotas", {
      name: "On call",
      startsAt: "2027-01-01T00:00:00Z",
      handover: { type: "hourly", everyHours: 12 },
      members: [{ name: "Ada", channelIds: [channelId] }],
    });
    const { files, reason, secrets } = await asCode(`/api/rotas/${body.rota.id}`);
    const text = files.map(({ text }) => text).join("\n");
    expect([reason, secrets.length > 0]).toEqual([null, true]);
    for (const part of ["rotas:", "name: On call", "everyHours: 12", "@Hook", "alertChannels:"])
      expect(text).toContain(part);
    expect(text).not.toContain("s3cret");
    expect((await test.call("GET", "/api/rotas/rota_x/as-code")).status).toBe(404);
  });
});

describe("a status page", () => {
  let pages = 0;
  const page = async (components: object[], more: object = {}) => {
    const { status, body } = await test.call("POST", "/api/status-pages", {
      slug: `page-${++pages}`,
      title: "Shop",
      isPublished: true,
      components,
      ...more,
    });
    expect(status).toBe(201);
    return `/api/status-pages/${body.statusPage.id}`;
  };
  const textOf = ({ files }: RecordAsCode) => files.map(({ text }) => text).join("\n");

  it("is written with the monitors that it names, and by labels with none", async () => {
    const checkId = await httpCheck("Shown");
    const named = await asCode(
      await page([
        { name: "Web", checkId },
        { name: "All", labels: ["a"] },
      ]),
    );
    expect(named.reason).toBeNull();
    for (const part of ["statusPages:", "slug: page-1", "isPublished: true", "monitor: Shown", "name: Shown"])
      expect(textOf(named)).toContain(part);
    const byLabels = textOf(await asCode(await page([{ name: "All", labels: ["a"] }])));
    expect([byLabels.includes("slug: page-2"), byLabels.includes("monitor:")]).toEqual([true, false]);
  });

  it("of a check that no config can describe, or of two of one name, is answered with the reason", async () => {
    const one = await asCode(await page([{ name: "Web", checkId: onePageId }]));
    expect(one).toMatchObject({
      files: [],
      reason: expect.stringContaining("a browser check of a single URL"),
    });
    const twins = [await httpCheck("Twin"), await httpCheck("Twin")];
    const both = await asCode(await page(twins.map((checkId, nth) => ({ name: `Web ${nth}`, checkId }))));
    expect(both).toMatchObject({ files: [], reason: expect.stringContaining("named Twin") });
  });

  it("of another team is none", async () => {
    const path = await page([]);
    const own = test.team;
    test.team = await test.createTeam();
    expect((await test.call("GET", `${path}/as-code`)).status).toBe(404);
    test.team = own;
  });
});
