import { describe, expect, it } from "vitest";
import type { TestApp } from "../../test-support/app.ts";
import { createCheck } from "../../test-support/checks-app.ts";
import { STATUS_PAGES_PATH as PATH, useStatusPages } from "../../test-support/status-page-test.ts";

let test: TestApp;
const { slug, create, aPage, aNotice, read, view } = useStatusPages((app) => {
  test = app;
});

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
