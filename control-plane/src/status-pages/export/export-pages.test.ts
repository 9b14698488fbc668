import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MINUTE_MS, SECOND_MS, type StatusPage } from "@svc/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { registerStatusPageRoutes } from "../routes.ts";
import { StatusViews } from "../view/views.ts";
import { exportPages } from "./export-pages.ts";
import { folderStore } from "./folder-store.ts";

let test: TestApp;
let folder: string;
let round: () => Promise<void>;
beforeAll(async () => {
  test = await createTestApp({ register: registerStatusPageRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-export-"));
  round = roundsOfReplica();
  await test.services.knex("statusPages").delete();
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns the rounds of one process, ten seconds apart. */
function roundsOfReplica(): () => Promise<void> {
  const written = new Map();
  return () => {
    test.clock.advance(10 * SECOND_MS);
    return exportPages(test.services, {
      store: folderStore(folder),
      views: new StatusViews(test.services),
      written,
    });
  };
}
async function aPage(slug: string, overrides: object = {}): Promise<StatusPage> {
  const body = { slug, title: `Title of ${slug}`, isPublished: true, ...overrides };
  const { status, body: answer } = await test.call("POST", "/api/status-pages", body);
  expect(status).toBe(201);
  return answer.statusPage;
}
const read = (...path: string[]) => readFile(join(folder, ...path), "utf8");
const pagesThere = async () => (await readdir(folder)).filter((name) => !name.startsWith("."));
const put = async ({ id }: StatusPage, change: object) =>
  expect((await test.call("PUT", `/api/status-pages/${id}`, change)).status).toBe(200);

it("writes the published pages of all teams, each complete in itself", async () => {
  await aPage("page-a");
  await aPage("page-hidden", { isPublished: false });
  test.team = await test.createTeam();
  await aPage("page-b");
  await round();
  expect(await pagesThere()).toEqual(["page-a", "page-b"]);
  const html = await read("page-b", "index.html");
  expect(html).toContain("<h1>Title of page-b</h1>");
  expect(html).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
  );
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href as string);
  for (const link of links) expect(await read("page-b", link)).not.toBe("");
  expect(JSON.parse(await read("page-b", "status.json"))).toMatchObject({ slug: "page-b", state: "unknown" });
  expect(await readdir(join(folder, "page-b"))).toHaveLength(4);
});

it("writes a page again when it changed, and otherwise every five minutes", async () => {
  const page = await aPage("page-c");
  await round();
  const asOf = async () => JSON.parse(await read("page-c", "status.json")).asOf;
  const first = await asOf();
  const { ino } = await stat(join(folder, "page-c", "index.html"));
  await round();
  expect(await asOf()).toBe(first);
  expect((await stat(join(folder, "page-c", "index.html"))).ino).toBe(ino);
  await put(page, { title: "Another title" });
  await round();
  expect(await read("page-c", "index.html")).toContain("<h1>Another title</h1>");
  const second = await asOf();
  test.clock.advance(5 * MINUTE_MS);
  await round();
  expect(Date.parse(await asOf()) - Date.parse(second)).toBeGreaterThanOrEqual(5 * MINUTE_MS);
});

it("removes pages that are published no more, also those that another process wrote, and nothing else", async () => {
  await writeFile(join(folder, "robots.txt"), "mine");
  await mkdir(join(folder, "page-of-mine"));
  const pages = [await aPage("page-d"), await aPage("page-e"), await aPage("page-f")] as const;
  await round();
  await put(pages[0], { isPublished: false });
  await test.call("DELETE", `/api/status-pages/${pages[1].id}`);
  await put(pages[2], { slug: "page-g" });
  await roundsOfReplica()();
  expect((await pagesThere()).sort()).toEqual(["page-g", "page-of-mine", "robots.txt"]);
});

it("takes no name but a slug for the folder of a page", async () => {
  const inside = join(folder, "inside");
  await mkdir(inside);
  await writeFile(join(folder, "kept"), "");
  await writeFile(
    join(inside, ".svc-status-pages.json"),
    JSON.stringify(["../kept", "..", ".", "", 1, "old-page"]),
  );
  await mkdir(join(inside, "old-page"));
  test.clock.advance(10 * SECOND_MS);
  await exportPages(test.services, {
    store: folderStore(inside),
    views: new StatusViews(test.services),
    written: new Map(),
  });
  expect(await readdir(inside)).toEqual([".svc-status-pages.json"]);
  expect(await read("kept")).toBe("");
});

it("goes on with the other pages when one can't be written", async () => {
  await aPage("page-h");
  await aPage("page-i");
  await mkdir(join(folder, "page-h"));
  await writeFile(join(folder, ".svc-status-pages.json"), '["page-h"]');
  await mkdir(join(folder, "page-h", "index.html.new"));
  await expect(round()).rejects.toThrow("1 status pages could not be exported");
  expect(await read("page-i", "index.html")).toContain("Title of page-i");
  await rm(join(folder, "page-h", "index.html.new"), { recursive: true });
  await round();
  expect(await read("page-h", "index.html")).toContain("Title of page-h");
});

it("writes over nothing that stood there before, says so once, and removes none of it", async () => {
  const warned: unknown[] = [];
  const log = Object.assign(Object.create(test.services.log), {
    warn: ({ path }: { path: string }) => warned.push(path),
  });
  const written = new Map();
  const again = () => {
    test.clock.advance(10 * SECOND_MS);
    return exportPages(
      { ...test.services, log },
      { store: folderStore(folder), views: new StatusViews(test.services), written },
    );
  };
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "assets", "index.html"), "mine");
  await writeFile(join(folder, "readme"), "mine");
  await mkdir(join(folder, "vacant"));
  const pages = [await aPage("assets"), await aPage("readme"), await aPage("vacant")] as const;
  await again();
  await again();
  expect(warned).toEqual([join(folder, "assets"), join(folder, "readme")]);
  expect(await read("vacant", "index.html")).toContain("Title of vacant");
  for (const page of pages) await put(page, { isPublished: false });
  await again();
  expect(await pagesThere()).toEqual(["assets", "readme"]);
  expect(await readdir(join(folder, "assets"))).toEqual(["index.html"]);
  expect([await read("assets", "index.html"), await read("readme")]).toEqual(["mine", "mine"]);
  // The folder in the way is gone, so the page is written.
  await rm(join(folder, "assets"), { recursive: true });
  await put(pages[0], { isPublished: true });
  await again();
  expect(await read("assets", "index.html")).toContain("Title of assets");
});

it("leaves what others put beside the files of a page", async () => {
  const page = await aPage("page-j");
  await round();
  await writeFile(join(folder, "page-j", "logo.svg"), "mine");
  await writeFile(join(folder, "page-j", "index.html.new"), "half");
  await put(page, { isPublished: false });
  await round();
  expect(await readdir(join(folder, "page-j"))).toEqual(["logo.svg"]);
});

it("removes the other pages, and the other files, when one can't be removed, and tries again", async () => {
  const pages = [await aPage("page-k"), await aPage("page-l")] as const;
  await round();
  await rm(join(folder, "page-k", "index.html"));
  await mkdir(join(folder, "page-k", "index.html"));
  for (const page of pages) await put(page, { isPublished: false });
  await expect(round()).rejects.toThrow("1 status pages could not be exported");
  expect(await pagesThere()).toEqual(["page-k"]);
  expect(await readdir(join(folder, "page-k"))).toEqual(["index.html"]);
  await rm(join(folder, "page-k", "index.html"), { recursive: true });
  await roundsOfReplica()();
  expect(await pagesThere()).toEqual([]);
});
