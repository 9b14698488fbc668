import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeService, type RunOptions, runSvc, testFolder } from "../../test-support/run-svc.ts";

let home: ReturnType<typeof testFolder>;
beforeEach(() => {
  home = testFolder();
});
afterEach(() => home.remove());

const SECRET = `sk_${"5".repeat(64)}`;
const CODE = {
  deviceCode: "the-device-code-of-this-client",
  userCode: "BCDF-GHJK",
  verificationUrl: "https://svc.example.com/cli/authorize?code=BCDF-GHJK",
  expiresIn: 600,
  interval: 2,
};
const KEY = { id: "key_1", name: "laptop.example", createdAt: "2026-06-01T12:00:00.000Z", secret: SECRET };
const REVOKE = "DELETE /api/api-keys/self";
const POLL = "POST /api/cli/device-codes/poll";
const pending = { status: 202, body: { status: "pending" } };
const granted = { status: 200, body: { key: KEY } };

const path = () => join(home.path, ".svc", "credentials");
const store = (text = JSON.stringify({ apiUrl: "http://127.0.0.1:7", apiKey: SECRET })) => {
  mkdirSync(join(home.path, ".svc"), { recursive: true });
  writeFileSync(path(), text, { mode: 0o600 });
};
const isStored = () => statSync(path(), { throwIfNoEntry: false }) !== undefined;

/** A service that answers the polls in this order, the last one again and again. */
function service(polls: { status: number; body: unknown }[], more: Parameters<typeof fakeService>[0] = {}) {
  let count = 0;
  return fakeService({
    "POST /api/cli/device-codes": CODE,
    [POLL]: () => polls[Math.min(count++, polls.length - 1)] as (typeof polls)[number],
    ...more,
  });
}

const run = (args: string[], { fetch }: { fetch: typeof globalThis.fetch }, options: RunOptions = {}) =>
  runSvc(args, { homeFolder: home.path, fetch, ...options });

describe("svc login", () => {
  it("shows the code, opens the page, polls every 2 s, and keeps the key in a file of its owner alone", async () => {
    const asked = service([pending, pending, granted]);
    const opened: string[] = [];
    const waits: number[] = [];
    const ran = await run(["login", "--api-url", "http://127.0.0.1:9"], asked, {
      openBrowser: async (url) => void opened.push(url),
      wait: (ms) => void waits.push(ms),
    });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`Your code: ${CODE.userCode}`);
    expect(ran.stderr).toContain(CODE.verificationUrl);
    expect(opened).toEqual([CODE.verificationUrl]);
    expect(waits).toEqual([2000, 2000, 2000]);
    expect(asked.requests[0]).toMatchObject({ body: { clientName: "laptop.example" } });
    expect(asked.requests.map(({ headers }) => headers.get("authorization"))).toEqual(Array(4).fill(null));
    expect(JSON.parse(readFileSync(path(), "utf8"))).toEqual({
      apiUrl: "http://127.0.0.1:9",
      apiKey: SECRET,
      createdAt: KEY.createdAt,
    });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.path, ".svc")).mode & 0o777).toBe(0o700);
    expect(ran.stdout + ran.stderr).not.toContain(SECRET);
    expect(ran.stdout + ran.stderr).not.toContain(CODE.deviceCode);
  });

  it("in --json stdout has one envelope; the event that names code and address goes to stderr", async () => {
    const ran = await run(["login", "--json"], service([granted]));
    expect(ran.json()).toEqual({
      ok: true,
      data: { apiUrl: "http://127.0.0.1:8080", credentialsPath: path(), createdAt: KEY.createdAt },
    });
    expect(JSON.parse(ran.stderr)).toEqual({
      event: "awaiting_consent",
      code: CODE.userCode,
      verification_url: CODE.verificationUrl,
    });
  });

  it("with credentials there it asks for nothing; --force does", async () => {
    store();
    const before = await run(["login", "--json"], fakeService({}));
    expect(before.json()).toEqual({ ok: true, data: { alreadyLoggedIn: true, credentialsPath: path() } });
    const forced = await run(["login", "--force", "--json"], service([granted]));
    expect(forced.json().data.apiUrl).toBe("http://127.0.0.1:7");
  });

  it("says that an existing file is damaged", async () => {
    store("not json");
    const ran = await run(["login", "--json"], fakeService({}));
    expect(ran.json().data.alreadyLoggedIn).toBe(true);
    expect(ran.stderr).toContain("damaged; run: svc login --force");
  });

  it.each([
    ["used or expired", { status: 410, body: { error: "This code has expired; run svc login again" } }],
    ["declined", { status: 410, body: { error: "The sign-in was declined in the browser" } }],
  ])("a code that was %s is a general error, and nothing is stored", async (_, gone) => {
    const ran = await run(["login", "--json"], service([pending, gone]));
    expect(ran.code).toBe(1);
    expect(ran.json().error).toMatchObject({ code: "general_error", message: gone.body.error });
    expect(isStored()).toBe(false);
  });

  it("a code expires for a client that can't reach the service any more, too; until then it asks again", async () => {
    let nowMs = Date.UTC(2026, 5, 1, 12);
    const down = { status: 503, body: { error: "starting" } };
    const asked = service([down]);
    const wait = (ms: number) => {
      nowMs += ms;
    };
    const ran = await run(["login"], asked, { nowMs: () => nowMs, wait });
    expect([ran.code, asked.requests.length]).toEqual([1, 300]);
    expect(ran.stderr).toContain("the code has expired");
    const back = await run(["login"], service([down, pending, down, granted]), { wait: () => {} });
    expect(back.code).toBe(0);
  });

  it("ends at an error that does not say why the answer is missing", async () => {
    const asked = service([]);
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (String(input).endsWith("/poll")) throw new Error("odd");
      return await asked.fetch(input, init);
    };
    const ran = await run(["login"], { fetch }, { wait: () => {} });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("odd");
  });

  it("Ctrl+C while it waits ends it with 130, and nothing is stored", async () => {
    const interruption = new AbortController();
    const ran = await run(["login"], service([pending]), {
      interrupted: interruption.signal,
      wait: () => interruption.abort(),
    });
    expect(ran.code).toBe(130);
    expect(isStored()).toBe(false);
  });

  it("a browser that can't be opened, or an address that is no web page, opens nothing", async () => {
    const failing = await run(["login"], service([granted]), {
      openBrowser: () => Promise.reject(new Error("no browser")),
    });
    expect(failing.code).toBe(0);
    const opened: string[] = [];
    const strange = fakeService({
      "POST /api/cli/device-codes": { ...CODE, verificationUrl: "file:///usr/bin/calculator" },
    });
    const refused = await run(["login", "--force"], strange, {
      openBrowser: async (url) => void opened.push(url),
    });
    expect([refused.code, opened]).toEqual([1, []]);
  });

  it("a key that can't be stored is revoked", async () => {
    const asked = service([granted], { [REVOKE]: { revoked: true } });
    // A folder where the file should be: it can't be replaced by a file.
    mkdirSync(join(path(), "not-empty"), { recursive: true });
    const ran = await run(["login", "--force", "--json"], asked);
    expect(ran.code).toBe(1);
    expect(asked.requests.at(-1)?.route).toBe(REVOKE);
    expect(asked.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
  });

  it("says that SVC_API_KEY wins over what it stored", async () => {
    const ran = await run(["login"], service([granted]), { env: { SVC_API_KEY: "sk_of_ci" } });
    expect(ran.stderr).toContain("SVC_API_KEY is set");
  });
});

describe("svc logout", () => {
  const done = (more: object) => ({
    ok: true,
    data: { removed: true, revoked: false, revokeError: null, credentialsPath: path(), ...more },
  });

  it("removes the file and asks nobody", async () => {
    store();
    const ran = await run(["logout", "--json"], fakeService({}));
    expect([ran.code, ran.json(), isStored()]).toEqual([0, done({}), false]);
  });

  it("a second logout is harmless and says that there was no key", async () => {
    const ran = await run(["logout", "--revoke", "--json"], fakeService({}));
    expect([ran.code, ran.json()]).toEqual([0, done({ removed: false, alreadyLoggedOut: true })]);
  });

  it("--revoke revokes the stored key, not the one of the environment", async () => {
    store();
    const asked = fakeService({ [REVOKE]: { revoked: true } });
    const ran = await run(["logout", "--revoke", "--json"], asked, { env: { SVC_API_KEY: "sk_of_ci" } });
    expect([ran.code, ran.json(), isStored()]).toEqual([0, done({ revoked: true }), false]);
    expect(asked.requests[0]?.headers.get("authorization")).toBe(`Bearer ${SECRET}`);
  });

  it("--revoke goes to the service that made the key, whatever SVC_API_URL says", async () => {
    store(JSON.stringify({ apiKey: SECRET, apiUrl: "https://svc.example.com" }));
    const urls: string[] = [];
    const asked = fakeService({ [REVOKE]: { revoked: true } });
    const ran = await runSvc(["logout", "--revoke"], {
      homeFolder: home.path,
      env: { SVC_API_URL: "https://evil.example" },
      fetch: (input, init) => {
        urls.push(String(input));
        return asked.fetch(input, init);
      },
    });
    expect(ran.code).toBe(0);
    expect(urls).toEqual([`https://svc.example.com${REVOKE.split(" ")[1]}`]);
  });

  it.each([
    ["the service refuses", { status: 401, body: { error: "Invalid or revoked credentials" } }, "Invalid"],
    ["the service fails", { status: 500, body: { error: "Internal error" } }, "the service failed (500)"],
  ])(
    "when %s the file goes all the same; the failure is reported, and exits 4",
    async (_, answer, message) => {
      store();
      const ran = await run(["logout", "--revoke", "--json"], fakeService({ [REVOKE]: () => answer }));
      expect([ran.code, isStored()]).toEqual([4, false]);
      expect(ran.json()).toEqual(done({ revokeError: expect.stringContaining(message) }));
    },
  );

  it("a damaged file is removed, too", async () => {
    store("{");
    const ran = await run(["logout", "--revoke", "--json"], fakeService({}));
    expect([ran.code, isStored()]).toEqual([4, false]);
    expect(ran.json().data.revokeError).toContain("is damaged");
  });
});

it("a credentials file that others can read is used with a warning", async () => {
  store();
  chmodSync(path(), 0o644);
  const ran = await run(["api", "/api/checks"], fakeService({ "GET /api/checks": { checks: [] } }));
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(`chmod 600 ${path()}`);
});

it("logout --revoke removes the file also when the address of other commands is malformed", async () => {
  mkdirSync(dirname(path()), { recursive: true });
  writeFileSync(path(), JSON.stringify({ apiKey: "sk_stored" }));
  const ran = await run(["logout", "--revoke", "--json", "--api-url", "nonsense"], fakeService({}));
  expect([ran.code, ran.json().data.removed, existsSync(path())]).toEqual([4, true, false]);
});
