import { HOUR_MS, MINUTE_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { STATUS_PAGES_PATH as PATH, useStatusPages } from "../../../test-support/status-page-test.ts";

let test: TestApp;
const { slug, aPage, aNotice, read, view, stateOf } = useStatusPages((app) => {
  test = app;
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
    expect((await view()).notices).toMatchObject([{ updatesLeftOut: 0 }]);
    expect((await read("")).text).not.toContain("left out");
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
    [{ status: "resolved" }, "startsAt"],
    [{ status: "resolved", startsAt: "2026-01-01T00:00:00Z", endsAt: "2099-01-01T00:00:00Z" }, "endsAt"],
    [{ startsAt: "2099-01-01T00:00:00Z" }, "startsAt"],
    [{ startsAt: "1970-01-01T00:00:00Z" }, "startsAt"],
    [{ startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-01T01:00:00Z" }, "endsAt"],
    [
      {
        kind: "maintenance",
        status: "in_progress",
        startsAt: "2099-01-01T00:00:00Z",
        endsAt: "2099-01-02T00:00:00Z",
      },
      "startsAt",
    ],
    [{ kind: "maintenance", startsAt: "2026-01-01T00:00:00Z", endsAt: "2026-01-01T01:00:00Z" }, "endsAt"],
    [{ components: ["Nothing"] }, "components"],
    [{ text: "" }, "text"],
    [{ startsAt: "tomorrow" }, "startsAt"],
  ])("is refused with %j", async (overrides, field) => {
    const page = await aPage({ components });
    const notice = { kind: "incident", title: "Slow", text: "Text", ...overrides };
    const { status, body } = await test.call("POST", `${PATH}/${page.id}/notices`, notice);
    expect([status, Object.keys(body.details.fieldErrors)]).toEqual([400, [field]]);
  });

  it("gets no times that contradict its newest update, and has begun with one that says so", async () => {
    const page = await aPage({ components });
    const at = (ms: number) => new Date(test.clock.nowMs() + ms).toISOString();
    const times = { startsAt: at(HOUR_MS), endsAt: at(2 * HOUR_MS) };
    const incident = await aNotice(page, {});
    const work = await aNotice(page, { kind: "maintenance", ...times });
    const answer = async (method: "PUT" | "POST", where: string, body: object) => {
      const { status, body: answered } = await test.call(method, where, body);
      return status < 300 ? [status] : [status, ...Object.keys(answered.details.fieldErrors)];
    };
    test.clock.advance(MINUTE_MS);
    const put = (notice: typeof work, body: object) => answer("PUT", path(page, notice), body);
    const update = (status: string) => answer("POST", path(page, work, "/updates"), { status, text: "Text" });
    expect(await put(incident, { startsAt: at(HOUR_MS) })).toEqual([400, "startsAt"]);
    expect(await put(incident, { endsAt: at(-1) })).toEqual([400, "endsAt"]);
    expect(await update("in_progress")).toEqual([201]);
    expect((await test.call("GET", path(page, work))).body.notice).toMatchObject({
      startsAt: at(0),
      isActive: true,
    });
    expect(await put(work, { startsAt: at(HOUR_MS / 2) })).toEqual([400, "startsAt"]);
    test.clock.advance(2 * HOUR_MS);
    expect(await put(work, { title: "Over" })).toEqual([200]);
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
    const other = notice.kind === "incident" ? "maintenance" : "incident";
    const refused = await put({ kind: other }, "*");
    expect([refused.status, Object.keys(refused.body.details.fieldErrors)]).toEqual([400, ["kind"]]);
    expect((await put({ ...got.body.notice, title: "Very slow", impact: "none" }, "*")).status).toBe(200);
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

  it("that is active stays on the page behind 50 later ones", async () => {
    const page = await aPage({ components });
    const notice = await aNotice(page, { title: "Long", impact: "outage", components: ["Web"] });
    const later = await aNotice(page, { title: "Later" });
    const { knex } = test.services;
    const { key, ...row } = await knex("statusNotices").where({ id: later.id }).first();
    const copies = Array.from({ length: 49 }, (_, nth) => ({
      ...row,
      id: `${row.id}${nth}`,
      updates: JSON.stringify(row.updates),
    }));
    await knex("statusNotices").insert(copies);
    const hour = (nth: number) => new Date(test.clock.nowMs() + nth * HOUR_MS);
    await knex("statusNotices")
      .where({ pageKey: row.pageKey })
      .whereNot({ id: notice.id })
      .update({ startsAt: hour(1), endsAt: hour(2) });
    test.clock.advance(3 * HOUR_MS);
    const { notices } = await view();
    expect([notices.length, notices.at(-1)?.title]).toEqual([50, "Long"]);
    expect(await stateOf("Web")).toBe("outage");
  });

  it("shows the newest updates of a page up to 200,000 characters, and that older ones are left out", async () => {
    const page = await aPage({ components });
    const lasting = await aNotice(page, { title: "Lasting" });
    const hourAgo = new Date(test.clock.nowMs() - HOUR_MS).toISOString();
    const over = await aNotice(page, { title: "Over", status: "resolved", startsAt: hourAgo });
    // 100 updates of 5,000 characters: the newest of those that are over are newer than all of the one that lasts.
    const updates = (from: number) =>
      JSON.stringify(
        Array.from({ length: 100 }, (_, nth) => ({
          status: "monitoring",
          text: `${from + nth}`.padEnd(5_000, "é"),
          at: new Date((from + nth) * MINUTE_MS).toISOString(),
        })),
      );
    const store = (id: string, value: string) =>
      test.services.knex("statusNotices").where({ id }).update({ updates: value });
    await store(lasting.id, updates(1_000));
    await store(over.id, updates(2_000));
    const { notices } = await view();
    const shown = notices.map(({ title, updatesLeftOut, updates: all }) => [
      title,
      updatesLeftOut,
      all.map(({ text }) => text.slice(0, 4)),
    ]);
    expect(shown).toContainEqual(["Lasting", 99, ["1099"]]);
    expect(shown).toContainEqual(["Over", 61, Array.from({ length: 39 }, (_, nth) => `${2_099 - nth}`)]);
    const html = (await read("")).text;
    expect(html).toContain("Older updates are left out: 99.");
    expect(html.length).toBeLessThan(300_000);
    // Entries keep their ids: the newest update of each is its hundredth.
    const feed = (await read("/feed.atom")).text;
    for (const { id } of [lasting, over]) expect(feed).toContain(`#${id}-100</id>`);
    expect(feed).not.toContain(`#${over.id}-61</id>`);
    // Whoever may read the notice reads all of it.
    expect((await test.call("GET", path(page, over))).body.notice.updates).toHaveLength(100);
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
