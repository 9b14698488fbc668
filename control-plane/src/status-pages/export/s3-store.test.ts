import { MINUTE_MS, SECOND_MS, type StatusPage } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { anS3Server, BUCKET, type S3Server } from "../../../test-support/s3/server.ts";
import { parseConfig } from "../../platform/config.ts";
import type { S3Settings } from "../../platform/s3-settings.ts";
import { registerStatusPageRoutes } from "../routes.ts";
import { StatusViews } from "../view/views.ts";
import { exportPages } from "./export-pages.ts";
import { S3Client, type S3ClientOptions } from "./s3-client.ts";
import { s3Store } from "./s3-store.ts";

let test: TestApp;
let s3: S3Server;
let round: () => Promise<void>;
beforeAll(async () => {
  test = await createTestApp({ register: registerStatusPageRoutes });
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("statusPages").delete();
  s3 = await anS3Server(() => test.clock.nowMs());
  round = roundsOfReplica();
});

const FILES = ["badge.svg", "feed.atom", "index.html", "status.json"];
const CLAIMS = ".svc-status-pages.json";

function settingsOf(path = "", changes: Record<string, string> = {}): S3Settings {
  const { accessKeyId, secretAccessKey } = s3.account;
  const { statusExportS3 } = parseConfig({
    SVC_STATUS_EXPORT_S3_URL: `${s3.origin}/${BUCKET}${path}`,
    SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: accessKeyId,
    SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY: secretAccessKey,
    ...changes,
  });
  return statusExportS3 as S3Settings;
}

/** Returns the rounds of one process, ten seconds apart. */
function roundsOfReplica(options: Partial<S3ClientOptions> = {}, services: object = {}): () => Promise<void> {
  const written = new Map();
  return () => {
    test.clock.advance(10 * SECOND_MS);
    const store = s3Store({ settings: settingsOf(), clock: test.clock, ...options });
    const views = new StatusViews(test.services);
    return exportPages({ ...test.services, ...services }, { store, views, written });
  };
}
async function aPage(slug: string, overrides: object = {}): Promise<StatusPage> {
  const body = { slug, title: `Title of ${slug}`, isPublished: true, ...overrides };
  const { status, body: answer } = await test.call("POST", "/api/status-pages", body);
  expect(status).toBe(201);
  return answer.statusPage;
}
const change = async ({ id }: StatusPage, changes: object) =>
  expect((await test.call("PUT", `/api/status-pages/${id}`, changes)).status).toBe(200);
const keys = () => [...s3.objects.keys()].sort();
const textOf = (key: string) => s3.objects.get(key)?.text;
const keysOf = (slug: string) => FILES.map((name) => `${slug}/${name}`);
const putsSince = (count: number) => s3.requests.slice(count).filter((line) => line.startsWith("PUT "));
/** Puts an object as others than the service would. */
const foreign = (key: string) =>
  s3.objects.set(key, { text: "mine", contentType: "text/plain", cacheControl: undefined });
/** Returns the errors of a round that fails, one under the other. */
const failure = (work: Promise<void>): Promise<string> =>
  work.then(
    () => "none",
    (error) => [error, ...((error as AggregateError).errors ?? [])].map(({ message }) => message).join("\n"),
  );

it("puts the files of each published page, with their types and a short lifetime in caches", async () => {
  await aPage("shop-a");
  await aPage("shop-hidden", { isPublished: false });
  await round();
  expect(keys()).toEqual([CLAIMS, ...keysOf("shop-a")]);
  expect(textOf("shop-a/index.html")).toContain("<h1>Title of shop-a</h1>");
  expect(JSON.parse(textOf("shop-a/status.json") ?? "")).toMatchObject({ slug: "shop-a" });
  expect(FILES.map((name) => s3.objects.get(`shop-a/${name}`)?.contentType)).toEqual([
    "image/svg+xml; charset=utf-8",
    "application/atom+xml; charset=utf-8",
    "text/html; charset=utf-8",
    "application/json; charset=utf-8",
  ]);
  for (const name of FILES) expect(s3.objects.get(`shop-a/${name}`)?.cacheControl).toBe("public, max-age=10");
  expect(s3.objects.get(CLAIMS)?.cacheControl).toBe("no-store");
});

it("puts a page again when it changed, and otherwise every five minutes", async () => {
  const page = await aPage("shop-b");
  await aPage("shop-b-too");
  await round();
  const first = s3.requests.length;
  await round();
  expect(s3.requests.slice(first)).toEqual([`GET ${CLAIMS}`]);
  await change(page, { title: "Another title" });
  await round();
  expect(putsSince(first).sort()).toEqual(keysOf("shop-b").map((key) => `PUT ${key}`));
  expect(textOf("shop-b/index.html")).toContain("<h1>Another title</h1>");
  const second = s3.requests.length;
  test.clock.advance(5 * MINUTE_MS);
  await round();
  expect(putsSince(second)).toHaveLength(8);
});

it("removes pages that are published no more, also those that another replica put, and nothing else", async () => {
  foreign("robots.txt");
  foreign("shop-of-mine/index.html");
  const pages = [await aPage("shop-c"), await aPage("shop-d"), await aPage("shop-e")] as const;
  await round();
  foreign("shop-c/logo.svg");
  await change(pages[0], { isPublished: false });
  await test.call("DELETE", `/api/status-pages/${pages[1].id}`);
  await change(pages[2], { slug: "shop-f" });
  await roundsOfReplica()();
  expect(keys()).toEqual([
    CLAIMS,
    "robots.txt",
    "shop-c/logo.svg",
    ...keysOf("shop-f"),
    "shop-of-mine/index.html",
  ]);
  expect(JSON.parse(textOf(CLAIMS) ?? "")).toEqual(["shop-f"]);
});

it("puts nothing where objects of others stand, says so once, and removes none of them", async () => {
  const warned: unknown[] = [];
  const log = { warn: ({ path }: { path: string }) => warned.push(path) };
  round = roundsOfReplica({}, { log });
  foreign("assets/app.js");
  const page = await aPage("assets");
  // Another's key that merely begins alike is not in the way.
  foreign("vacant-too/x");
  await aPage("vacant");
  await round();
  await round();
  expect(warned).toEqual([`${s3.origin}/${BUCKET}/assets`]);
  expect(textOf("vacant/index.html")).toContain("Title of vacant");
  await change(page, { isPublished: false });
  await round();
  expect(keys().filter((key) => key.startsWith("assets"))).toEqual(["assets/app.js"]);
  s3.objects.delete("assets/app.js");
  await change(page, { isPublished: true });
  await round();
  expect(textOf("assets/index.html")).toContain("Title of assets");
});

it("takes nothing but slugs from the list of claims", async () => {
  foreign("a/index.html");
  foreign("index.html");
  foreign("shop-old/index.html");
  const text = JSON.stringify(["../a", "", ".", 1, "a/..", "shop-old"]);
  s3.objects.set(CLAIMS, { text, contentType: undefined, cacheControl: undefined });
  await round();
  expect(keys()).toEqual([CLAIMS, "a/index.html", "index.html"]);
});

it.each(["/pages", "/a b/c+d/e%2Bf", "/ü/(x)!*'", "/100%25/~._-", "/a=b&c;d/", "/$@:,"])(
  "keeps all objects below the prefix %s",
  async (path) => {
    round = roundsOfReplica({ settings: settingsOf(path) });
    const prefix = decodeURIComponent(path).replace(/^\/|\/$/g, "");
    const page = await aPage("shop-g");
    await round();
    expect(keys()).toEqual([CLAIMS, ...keysOf("shop-g")].map((key) => `${prefix}/${key}`).sort());
    await change(page, { isPublished: false });
    await round();
    expect(keys()).toEqual([`${prefix}/${CLAIMS}`]);
  },
);

it("signs for the region, and with the token of temporary credentials", async () => {
  s3 = await anS3Server(() => test.clock.nowMs(), {
    region: "eu-central-1",
    sessionToken: "token/of+an=hour",
  });
  const changes = {
    SVC_STATUS_EXPORT_S3_REGION: "eu-central-1",
    SVC_STATUS_EXPORT_S3_SESSION_TOKEN: "token/of+an=hour",
  };
  await aPage("shop-h");
  await roundsOfReplica({ settings: settingsOf("", changes) })();
  expect(keys()).toEqual([CLAIMS, ...keysOf("shop-h")]);
});

it("fails with the server's code when the secret is wrong, and says neither key nor signature", async () => {
  await aPage("shop-i");
  s3.account.secretAccessKey = "another-secret";
  round = roundsOfReplica({ settings: { ...settingsOf(), secretAccessKey: "s3cr/et+key=" } });
  const message = await failure(round());
  expect(message).toBe(`S3 answered 403 SignatureDoesNotMatch to GET of ${CLAIMS}`);
  expect(keys()).toEqual([]);
});

it("fails when the bucket does not exist", async () => {
  await aPage("shop-j");
  round = roundsOfReplica({ settings: { ...settingsOf(), bucket: "other-bucket" } });
  expect(await failure(round())).toContain("404 NoSuchBucket");
});

it("goes on with the other pages while the server is busy, and puts the rest in the next round", async () => {
  await aPage("shop-k");
  await aPage("shop-l");
  const busy = (line: string) => line === "PUT shop-k/feed.atom";
  s3.trouble = (line) => (busy(line) ? { status: 503, code: "SlowDown" } : undefined);
  expect(await failure(round())).toBe(
    "1 status pages could not be exported\nS3 answered 503 SlowDown to PUT of shop-k/feed.atom",
  );
  expect(keys().filter((key) => key.startsWith("shop-l"))).toEqual(keysOf("shop-l"));
  s3.trouble = () => undefined;
  const before = s3.requests.length;
  await round();
  expect(putsSince(before).sort()).toEqual(keysOf("shop-k").map((key) => `PUT ${key}`));
});

it("puts a page again whose last change failed halfway and was taken back", async () => {
  const page = await aPage("shop-m");
  await round();
  s3.trouble = (line) => (line === "PUT shop-m/status.json" ? { status: 503, code: "SlowDown" } : undefined);
  await change(page, { title: "Never whole" });
  await failure(round());
  expect(textOf("shop-m/index.html")).toContain("Never whole");
  s3.trouble = () => undefined;
  await change(page, { title: "Title of shop-m" });
  await round();
  expect(textOf("shop-m/index.html")).toContain("Title of shop-m");
});

it("tries again to remove what could not be removed", async () => {
  const page = await aPage("shop-n");
  await round();
  await change(page, { isPublished: false });
  s3.trouble = (line) =>
    line === "DELETE shop-n/badge.svg" ? { status: 500, code: "InternalError" } : undefined;
  expect(await failure(round())).toContain("500 InternalError to DELETE of shop-n/badge.svg");
  expect(keys()).toEqual([CLAIMS, "shop-n/badge.svg"]);
  s3.trouble = () => undefined;
  await roundsOfReplica()();
  expect(keys()).toEqual([CLAIMS]);
});

it("gives up a request that is not answered, and works when the server does again", async () => {
  await aPage("shop-o");
  round = roundsOfReplica({ answerWithinMs: 100 });
  s3.trouble = () => "hang";
  expect(await failure(round())).toMatch(/^S3 at 127\.0\.0\.1:\d+ can't be used: no answer within 100 ms$/);
  expect(s3.requests).toHaveLength(1);
  s3.trouble = () => undefined;
  await roundsOfReplica()();
  expect(keys()).toEqual([CLAIMS, ...keysOf("shop-o")]);
});

it("ends a request that hangs when the service stops", async () => {
  const stop = new AbortController();
  s3.trouble = () => {
    stop.abort();
    return "hang";
  };
  await expect(roundsOfReplica({ signal: stop.signal })()).rejects.toThrow("aborted");
});

it("has at most four requests under way", async () => {
  let answer = () => {};
  const answered = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  s3.trouble = () => answered;
  const client = new S3Client({ settings: settingsOf(), clock: test.clock, answerWithinMs: 60_000 });
  const asked = Promise.allSettled(Array.from({ length: 9 }, (_, nth) => client.delete(`key-${nth}`)));
  await expect.poll(() => s3.requests.length).toBe(4);
  expect(s3.open).toBe(4);
  answer();
  await asked;
  expect(s3.requests).toHaveLength(9);
});

it("takes no answer but a list for the word that a place is free, and no redirect", async () => {
  await aPage("shop-p");
  s3.trouble = (line) => (line.startsWith("GET ?") ? { status: 200, code: "Odd" } : undefined);
  expect(await failure(round())).toContain("S3 answered no list of objects");
  s3.trouble = () => ({ status: 301, code: "PermanentRedirect" });
  expect(await failure(round())).toBe(`S3 answered 301 PermanentRedirect to GET of ${CLAIMS}`);
  expect(keys()).toEqual([]);
});

it("lets two replicas take turns", async () => {
  const page = await aPage("shop-q");
  const other = roundsOfReplica();
  await round();
  await other();
  await change(page, { title: "Second" });
  await other();
  await change(page, { title: "Title of shop-q" });
  await round();
  await other();
  expect(keys()).toEqual([CLAIMS, ...keysOf("shop-q")]);
  expect(textOf("shop-q/index.html")).toContain("<h1>Title of shop-q</h1>");
});

it("keeps what another replica claims in the midst of a round", async () => {
  const page = await aPage("shop-r");
  const other = roundsOfReplica();
  await other();
  await change(page, { slug: "shop-s" });
  s3.trouble = async (line) => {
    s3.trouble = () => undefined;
    expect(line).toBe(`GET ${CLAIMS}`);
    s3.trouble = async (next) => {
      s3.trouble = () => undefined;
      expect(next).toBe("GET ?prefix=shop-s/");
      await round();
      return undefined;
    };
    return undefined;
  };
  await other();
  expect(keys()).toEqual([CLAIMS, ...keysOf("shop-s")]);
  expect(JSON.parse(textOf(CLAIMS) ?? "")).toEqual(["shop-s"]);
  await change(page, { title: "Third" });
  await other();
  expect(textOf("shop-s/index.html")).toContain("<h1>Third</h1>");
});
