import { type Check, DAY_MS, HOUR_MS, MINUTE_MS, type StatusPageView } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { createCheck } from "../../test-support/checks-app.ts";
import { alertingDependents } from "../alerting/check-dependents.ts";
import { registerLabelRoutes } from "../checks/labels/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerStatusPageRoutes } from "./routes.ts";
import { VIEW_LIFETIME_MS } from "./view/views.ts";

const PATH = "/api/status-pages";

let test: TestApp;
let nth = 0;
beforeAll(async () => {
  test = await createTestApp({
    settings: { SVC_CAP_STATUS_PAGES: "3", SVC_CAP_STATUS_NOTICES: "4" },
    register: (app, services) => {
      registerCheckRoutes(app, services, [alertingDependents]);
      registerLabelRoutes(app, services, [alertingDependents]);
      registerMaintenanceRoutes(app, services);
      registerStatusPageRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
  nth++;
});

const slug = () => `page-${nth}`;
const create = (overrides: object = {}) =>
  test.call("POST", PATH, { slug: slug(), title: "Shop", isPublished: true, ...overrides });
async function aPage(overrides: object = {}) {
  const { status, body } = await create(overrides);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.statusPage;
}
async function aNotice(page: { id: string }, overrides: object = {}) {
  const notice = { kind: "incident", title: "Slow", text: "We look into it.", ...overrides };
  const { status, body } = await test.call("POST", `${PATH}/${page.id}/notices`, notice);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.notice;
}
/** Reads a public form without any credential, when nothing older is kept. */
async function read(form = ".json", headers: Record<string, string> = {}) {
  test.clock.advance(VIEW_LIFETIME_MS);
  const answer = await test.app.inject({ method: "GET", url: `/status/${slug()}${form}`, headers });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}
async function view(): Promise<StatusPageView> {
  const { status, text } = await read();
  expect(status, text).toBe(200);
  return JSON.parse(text);
}
const stateOf = async (name: string) =>
  (await view()).components.find((component) => component.name === name)?.state;
/** Stores results of a check a moment ago, by location. */
async function deliver(check: Check, statuses: Record<string, number>, agoMs = MINUTE_MS): Promise<void> {
  const { knex } = test.services;
  const checkKey = await keyOfCheck(knex, check.id);
  for (const [location, status] of Object.entries(statuses))
    await storeResults(knex, [
      aResult(
        { checkKey, locationKey: await keyOfLocation(knex, location), slotMs: test.clock.nowMs() - agoMs },
        { status },
      ),
    ]);
}
const EAST_WEST = { locations: ["loc_us_east", "loc_us_west"] };

describe("a status page", () => {
  it("is made, read, changed and deleted, each with an entry of the change log", async () => {
    const check = await createCheck(test);
    const components = [
      { name: "Web", checkId: check.id },
      { name: "API", labels: ["team:api"] },
    ];
    const page = await aPage({ components, description: "Our shop" });
    expect(page).toMatchObject({ slug: slug(), title: "Shop", components, isPublished: true, checkCount: 1 });
    expect((await test.call("GET", `${PATH}/${page.id}`)).body.statusPage).toEqual(page);
    expect((await test.call("GET", PATH)).body.statusPages).toEqual([page]);
    test.clock.advance(1);
    const reversed = [...components].reverse();
    const changed = await test.call("PUT", `${PATH}/${page.id}`, { components: reversed });
    expect(changed.body.statusPage).toMatchObject({ title: "Shop", components: reversed });
    expect((await test.call("PUT", `${PATH}/${page.id}`, page)).body.statusPage.components).toEqual(
      components,
    );
    expect((await test.call("DELETE", `${PATH}/${page.id}`)).status).toBe(200);
    expect((await test.call("DELETE", `${PATH}/${page.id}`)).status).toBe(404);
    const entries = await test.services
      .knex("changes")
      .where({ resourceId: page.id })
      .orderBy("key")
      .select("action", "type", "name");
    expect(entries.map(({ action }) => action)).toEqual(["created", "updated", "updated", "deleted"]);
    expect(entries[0]).toMatchObject({ type: "status_page", name: slug() });
  });

  it("has a slug that is its own over all teams, and says nothing of whose the other one is", async () => {
    await aPage({ title: "Secret plans" });
    test.team = await test.createTeam();
    const refused = await create();
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).not.toContain("Secret");
    const other = await aPage({ slug: `other-${slug()}` });
    expect((await test.call("PUT", `${PATH}/${other.id}`, { slug: slug() })).status).toBe(409);
  });

  it.each([
    [{ slug: "ab" }, "slug"],
    [{ slug: "-abc" }, "slug"],
    [{ slug: "a--b" }, "slug"],
    [{ slug: "Shop" }, "slug"],
    [{ slug: "a.json" }, "slug"],
    [{ title: " " }, "title"],
    [{ components: [{ name: "A" }] }, "components"],
    [{ components: [{ name: "A", checkId: "chk_x", labels: ["a"] }] }, "components"],
    [{ components: [{ name: "A", checkId: "chk_x" }] }, "components"],
    [
      {
        components: [
          { name: "A", labels: ["a"] },
          { name: "A ", labels: ["b"] },
        ],
      },
      "components",
    ],
    [{ components: Array.from({ length: 51 }, (_, i) => ({ name: `${i}`, labels: ["a"] })) }, "components"],
  ])("refuses %j", async (overrides, field) => {
    const { status, body } = await create(overrides);
    expect(status).toBe(400);
    expect(Object.keys(body.details.fieldErrors)).toContain(field);
  });

  it("names no check of another team", async () => {
    const check = await createCheck(test);
    test.team = await test.createTeam();
    const { status, body } = await create({ components: [{ name: "Theirs", checkId: check.id }] });
    expect(status).toBe(400);
    expect(body.details.fieldErrors.components[0]).toContain(check.id);
  });

  it("loses a component whose check is deleted, and keeps one by labels", async () => {
    const check = await createCheck(test);
    await test.call("PUT", `/api/checks/${check.id}/labels`, { labels: ["web"] });
    const components = [
      { name: "One", checkId: check.id },
      { name: "Labels", labels: ["web"] },
    ];
    const page = await aPage({ components });
    expect(page.checkCount).toBe(1);
    await test.call("DELETE", `/api/checks/${check.id}`);
    const { statusPage } = (await test.call("GET", `${PATH}/${page.id}`)).body;
    expect([statusPage.components, statusPage.checkCount]).toEqual([[components[1]], 0]);
  });

  it("is one of a bounded number, and so are its notices", async () => {
    const page = await aPage();
    for (const name of ["b", "c"]) await aPage({ slug: `${slug()}-${name}` });
    expect((await create({ slug: `${slug()}-d` })).body.error).toContain("SVC_CAP_STATUS_PAGES");
    for (let i = 0; i < 4; i++) await aNotice(page);
    const notice = { kind: "incident", title: "Slow", text: "." };
    expect((await test.call("POST", `${PATH}/${page.id}/notices`, notice)).status).toBe(403);
  });
});

describe("what the public reads", () => {
  it("is there once the page is published, under every form, and not before", async () => {
    const page = await aPage({ isPublished: false });
    for (const form of ["", ".json", "/badge.svg", "/feed.atom"]) expect((await read(form)).status).toBe(404);
    expect((await test.call("GET", `${PATH}/${page.id}/view`)).body.view.title).toBe("Shop");
    await test.call("PUT", `${PATH}/${page.id}`, { isPublished: true });
    for (const [form, type] of [
      ["", "text/html; charset=utf-8"],
      [".json", "application/json; charset=utf-8"],
      ["/badge.svg", "image/svg+xml; charset=utf-8"],
      ["/feed.atom", "application/atom+xml; charset=utf-8"],
    ] as const) {
      const { status, headers } = await read(form);
      expect([form, status, headers["content-type"]]).toEqual([form, 200, type]);
      expect(headers["cache-control"]).toBe("public, max-age=10");
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["set-cookie"]).toBeUndefined();
    }
    await test.call("DELETE", `${PATH}/${page.id}`);
    expect((await read()).status).toBe(404);
  });

  it("is answered with 304 to who has it, and with 200 once it changed", async () => {
    const page = await aPage();
    const { headers } = await read("/badge.svg");
    const etag = String(headers.etag);
    expect((await read("/badge.svg", { "if-none-match": `W/${etag}` })).status).toBe(304);
    await aNotice(page, { impact: "outage" });
    expect((await read("/badge.svg", { "if-none-match": etag })).status).toBe(200);
  });

  it("costs a crowd no more than one reader", async () => {
    const check = await createCheck(test);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    await read();
    let statements = 0;
    const count = () => {
      statements++;
    };
    test.services.knex.on("query", count);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => test.app.inject({ method: "GET", url: `/status/${slug()}` })),
    );
    test.services.knex.removeListener("query", count);
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(statements).toBe(0);
  });

  it("holds text of people escaped, in a document without scripts", async () => {
    const nasty = `</title><script>alert("x")</script>'&]]>`;
    const page = await aPage({
      title: nasty,
      description: nasty,
      components: [{ name: nasty, labels: ["web"] }],
    });
    await aNotice(page, { title: nasty, text: `${nasty}\u0001`, components: [nasty] });
    for (const form of ["", "/feed.atom"]) {
      const { text } = await read(form);
      expect(text).toContain("&#60;script&#62;");
      expect(text).not.toContain("<script");
    }
    expect((await read("/feed.atom")).text.includes("\u0001")).toBe(false);
    expect((await view()).title).toBe(nasty);
  });
});

describe("the state of a component", () => {
  it("is unknown without recent results, operational, degraded, or an outage by its locations", async () => {
    const check = await createCheck(test, { ...EAST_WEST, frequencySeconds: 60 });
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    expect(await stateOf("Web")).toBe("unknown");
    await deliver(check, { loc_us_east: 1, loc_us_west: 1 });
    expect(await stateOf("Web")).toBe("operational");
    await deliver(check, { loc_us_east: 2 }, 0);
    expect(await stateOf("Web")).toBe("degraded");
    await deliver(check, { loc_us_west: 4 }, 0);
    expect(await stateOf("Web")).toBe("outage");
    test.clock.advance(8 * MINUTE_MS);
    expect(await stateOf("Web")).toBe("unknown");
    expect((await view()).state).toBe("unknown");
  });

  it("is unknown of a disabled check, and maintenance while a window holds", async () => {
    const check = await createCheck(test);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    await deliver(check, { loc_us_east: 2 }, 0);
    const at = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
    const window = {
      name: "Secret",
      mode: "continue",
      checkIds: [check.id],
      startsAt: at(0),
      endsAt: at(HOUR_MS),
    };
    const { maintenanceWindow } = (await test.call("POST", "/api/maintenance-windows", window)).body;
    expect(await stateOf("Web")).toBe("maintenance");
    expect((await read("")).text).not.toContain("Secret");
    await test.call("DELETE", `/api/maintenance-windows/${maintenanceWindow.id}`);
    expect(await stateOf("Web")).toBe("outage");
    await test.call("PUT", `/api/checks/${check.id}`, { enabled: false });
    expect(await stateOf("Web")).toBe("unknown");
  });

  it("of labels is the state of all their checks, and unknown beyond 200 of them", async () => {
    const checks = await Promise.all([createCheck(test), createCheck(test, { name: "B" })]);
    for (const { id } of checks)
      await test.call("PUT", `/api/checks/${id}/labels`, { labels: ["web", "eu"] });
    const components = [
      { name: "Both", labels: ["web", "eu"] },
      { name: "None", labels: ["web", "us"] },
    ];
    await aPage({ components });
    await deliver(checks[0], { loc_us_east: 2 }, 0);
    expect([await stateOf("Both"), await stateOf("None")]).toEqual(["outage", "unknown"]);
    await deliver(checks[1], { loc_us_east: 1 }, 0);
    expect(await stateOf("Both")).toBe("degraded");
    const { knex } = test.services;
    const [row] = await knex("checks").where({ id: checks[0].id });
    const { key, storedBytes, ...columns } = row;
    await knex.batchInsert(
      "checks",
      Array.from({ length: 199 }, (_, i) => ({
        ...columns,
        id: `${columns.id}${i}`,
        config: JSON.stringify(columns.config),
      })),
    );
    await knex.raw(
      `INSERT INTO check_labels (check_key, team_id, label) SELECT c.key, c.team_id, l FROM checks c, unnest(ARRAY['web', 'eu']) l
       WHERE c.team_id = ? ON CONFLICT DO NOTHING`,
      [test.team.teamId],
    );
    expect(await stateOf("Both")).toBe("unknown");
  });
});

describe("the days of a component", () => {
  /** Stores an hour's counts of a check, and that all is rolled up until now. */
  async function rolledUp(check: Check, agoMs: number, [good, failed]: [number, number]): Promise<void> {
    const { knex } = test.services;
    const hour = Math.floor((test.clock.nowMs() - agoMs) / HOUR_MS) * HOUR_MS;
    await knex("rollups").insert({
      bucketSeconds: 3600,
      bucketMs: hour,
      checkKey: await keyOfCheck(knex, check.id),
      locationKey: await keyOfLocation(knex, "loc_us_east"),
      successCount: good,
      failureCount: failed,
      errorCount: 0,
      timeoutCount: 0,
      responseTimeSumUs: 0,
      responseTimeMinUs: 0,
      responseTimeMaxUs: 0,
    });
    await knex.raw(
      `INSERT INTO job_progress (job, done_until_ms) VALUES ('rollups', :ms)
       ON CONFLICT (job) DO UPDATE SET done_until_ms = excluded.done_until_ms`,
      { ms: test.clock.nowMs() },
    );
  }
  /** Makes a check that has been scheduled for some days. */
  async function scheduledFor(days: number): Promise<Check> {
    const check = await createCheck(test, { frequencySeconds: 3600 });
    const fromMs = Math.floor(test.clock.nowMs() / DAY_MS) * DAY_MS - days * DAY_MS;
    await test.services
      .knex("checkRevisions")
      .where({ checkKey: await keyOfCheck(test.services.knex, check.id) })
      .update({ effectiveFromMs: fromMs });
    return check;
  }

  it("are 90; one without results has no data, and one that was measured in part says so", async () => {
    const check = await scheduledFor(3);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    const midday = test.clock.nowMs() % DAY_MS;
    for (let hour = 0; hour < 24; hour++) await rolledUp(check, midday + 2 * DAY_MS - hour * HOUR_MS, [1, 0]);
    for (let hour = 0; hour < 12; hour++)
      await rolledUp(check, midday + DAY_MS - hour * HOUR_MS, hour < 6 ? [0, 1] : [1, 0]);
    const component = (await view()).components[0];
    expect(component?.days).toHaveLength(90);
    const [twoAgo, yesterday, today] = component?.days.slice(-3) ?? [];
    expect(twoAgo).toMatchObject({ state: "operational", goodPercent: 100, measuredPercent: 100 });
    expect(yesterday).toMatchObject({ state: "outage", goodPercent: 50, measuredPercent: 50 });
    expect(today).toMatchObject({ state: "unmeasured", goodPercent: null, measuredPercent: 0 });
    // The check was due on the day before, and did not exist before that.
    expect(component?.days.at(-4)).toMatchObject({ state: "unmeasured", measuredPercent: 0 });
    expect(component?.days.at(-5)).toMatchObject({ state: "unmeasured", measuredPercent: null });
    expect(component?.goodPercent).toBe(83.33);
    const { text } = await read("");
    expect(text).toContain("83.33 % of results were good; 88 of 90 days have no data.");
    expect(text).toContain("Outage, 50 % of results good, 50 % of the day measured");
  });

  it("never round up to all good: one failure in very many shows", async () => {
    const check = await scheduledFor(1);
    await aPage({ components: [{ name: "Web", checkId: check.id }] });
    await rolledUp(check, DAY_MS, [999_999, 1]);
    const day = (await view()).components[0]?.days.at(-2);
    expect(day).toMatchObject({ state: "operational", goodPercent: 99.99 });
  });

  it("without a check are days without data", async () => {
    await aPage({ components: [{ name: "None", labels: ["none"] }] });
    const component = (await view()).components[0];
    expect(component?.days.every(({ state }) => state === "unmeasured")).toBe(true);
    expect(component?.goodPercent).toBeNull();
  });
});

describe("a notice", () => {
  const path = (page: { id: string }, notice: { id: string }, rest = "") =>
    `${PATH}/${page.id}/notices/${notice.id}${rest}`;
  const components = [{ name: "Web", labels: ["web"] }];

  it("of an incident shows its components at least as bad, until an update resolves it", async () => {
    const page = await aPage({ components });
    const notice = await aNotice(page, { impact: "outage", components: ["Web"] });
    expect(notice).toMatchObject({
      kind: "incident",
      isActive: true,
      endsAt: null,
      updates: [{ status: "investigating" }],
    });
    expect(await stateOf("Web")).toBe("outage");
    test.clock.advance(MINUTE_MS);
    const update = (body: object) => test.call("POST", path(page, notice, "/updates"), body);
    expect((await update({ status: "identified", text: "The disk is full." })).status).toBe(201);
    const { body } = await update({ status: "resolved", text: "It is emptied." });
    expect(body.notice.updates.map(({ status }: { status: string }) => status)).toEqual([
      "resolved",
      "identified",
      "investigating",
    ]);
    expect(body.notice).toMatchObject({ isActive: false });
    expect(await stateOf("Web")).toBe("unknown");
    expect((await view()).notices).toHaveLength(1);
    expect((await read("/feed.atom")).text.match(/<entry>/g)).toHaveLength(3);
    // It began again.
    expect((await update({ status: "investigating", text: "Full again." })).body.notice.endsAt).toBeNull();
    expect(await stateOf("Web")).toBe("outage");
    expect((await update({ status: "completed", text: "." })).status).toBe(400);
  });

  it("of maintenance shows it from its start to its end, or until it is completed", async () => {
    const page = await aPage({ components });
    const at = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
    const notice = await aNotice(page, {
      kind: "maintenance",
      components: ["Web"],
      startsAt: at(HOUR_MS),
      endsAt: at(3 * HOUR_MS),
    });
    expect(notice).toMatchObject({ impact: null, isActive: false, updates: [{ status: "scheduled" }] });
    expect(await stateOf("Web")).toBe("unknown");
    expect((await read("")).text).toContain("<h2>Planned</h2>");
    test.clock.advance(HOUR_MS);
    expect(await stateOf("Web")).toBe("maintenance");
    await test.call("POST", path(page, notice, "/updates"), { status: "completed", text: "Done." });
    expect(await stateOf("Web")).toBe("unknown");
    const late = await test.call("POST", path(page, notice, "/updates"), {
      status: "in_progress",
      text: ".",
    });
    expect(late.status).toBe(409);
  });

  it.each([
    [{ kind: "maintenance", endsAt: "2027-01-01T00:00:00Z" }, "startsAt"],
    [{ kind: "maintenance", startsAt: "2027-01-01T00:00:00Z" }, "endsAt"],
    [
      {
        kind: "maintenance",
        impact: "none",
        startsAt: "2027-01-01T00:00:00Z",
        endsAt: "2027-01-02T00:00:00Z",
      },
      "impact",
    ],
    [{ startsAt: "2026-01-02T00:00:00Z", endsAt: "2026-01-01T00:00:00Z" }, "endsAt"],
    [{ status: "completed" }, "status"],
    [{ status: "resolved", endsAt: "2099-01-01T00:00:00Z" }, "endsAt"],
    [{ components: ["Nothing"] }, "components"],
    [{ text: "" }, "text"],
    [{ startsAt: "tomorrow" }, "startsAt"],
  ])("is refused with %j", async (overrides, field) => {
    const page = await aPage({ components });
    const notice = { kind: "incident", title: "Slow", text: "Text", ...overrides };
    const { status, body } = await test.call("POST", `${PATH}/${page.id}/notices`, notice);
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
  });

  it("is changed with the version that was read, listed and deleted, and is another team's never", async () => {
    const page = await aPage({ components });
    const notice = await aNotice(page);
    const got = await test.call("GET", path(page, notice));
    expect(got.body.notice).toEqual(notice);
    test.clock.advance(1);
    const put = (body: object, etag = String(got.headers.etag)) =>
      test.call("PUT", path(page, notice), body, { ...test.team.byKey, "if-match": etag });
    expect((await put({ title: "Very slow", impact: "none" })).body.notice).toMatchObject({
      title: "Very slow",
      impact: "none",
    });
    expect((await put({ title: "Again" })).status).toBe(412);
    expect((await put({ impact: null }, "*")).status).toBe(400);
    expect((await test.call("GET", `${PATH}/${page.id}/notices`)).body.notices).toHaveLength(1);
    const own = test.team;
    test.team = await test.createTeam();
    const otherPage = await aPage({ slug: `${slug()}-other` });
    for (const other of [page, otherPage])
      for (const method of ["GET", "DELETE"] as const)
        expect((await test.call(method, path(other, notice))).status).toBe(404);
    test.team = own;
    expect((await test.call("DELETE", path(page, notice))).status).toBe(200);
    expect((await test.call("DELETE", path(page, notice))).status).toBe(404);
    expect((await view()).notices).toEqual([]);
  });

  it("has 100 updates at most", async () => {
    const page = await aPage();
    const notice = await aNotice(page);
    const updates = Array.from({ length: 100 }, () => ({
      status: "monitoring",
      text: "x",
      at: new Date(0).toISOString(),
    }));
    await test.services
      .knex("statusNotices")
      .where({ id: notice.id })
      .update({ updates: JSON.stringify(updates) });
    const { status, body } = await test.call("POST", path(page, notice, "/updates"), {
      status: "monitoring",
      text: ".",
    });
    expect([status, body.error]).toEqual([403, "A notice has at most 100 updates"]);
  });
});
