import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeService, runSvc, testFolder } from "../../test-support/run-svc.ts";
import { credentialsPath, isReadableByOthers } from "./credentials.ts";

it.each([
  ["--api-url", ["--api-url", "https://me:hunter2@svc.example.com"], {}],
  ["SVC_API_URL", [], { SVC_API_URL: "https://hunter2@svc.example.com" }],
])("an address with a password in %s is refused, and the password not shown", async (where, args, env) => {
  const ran = await runSvc(["status", ...args], {
    env: { SVC_API_KEY: "sk_test", ...env } as Record<string, string>,
  });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`${where} holds a user name or a password`);
  expect(ran.stdout + ran.stderr).not.toContain("hunter2");
});

it.each([
  ["linux", "/home/me", "/home/me/.svc/credentials"],
  ["darwin", "/Users/me", "/Users/me/.svc/credentials"],
  ["win32", "C:\\Users\\me", "C:\\Users\\me\\.svc\\credentials"],
] as const)("on %s the file of %s is %s", (platform, homeFolder, path) => {
  expect(credentialsPath({ platform, homeFolder })).toBe(path);
});

it.each([
  ["linux", true],
  ["darwin", true],
  // The mode says nothing there: Node shows every file as one that all may read.
  ["win32", false],
] as const)("on %s a file that its mode opens to others counts as open: %s", (platform, isOpen) => {
  const home = testFolder();
  mkdirSync(join(home.path, ".svc"));
  writeFileSync(join(home.path, ".svc", "credentials"), "{}", { mode: 0o644 });
  expect(isReadableByOthers({ platform, homeFolder: home.path })).toBe(isOpen);
  home.remove();
});

describe("the key in the credentials file", () => {
  let home: ReturnType<typeof testFolder>;
  beforeEach(() => {
    home = testFolder();
  });
  afterEach(() => home.remove());
  const STORED = "https://svc.example.com";

  /** Runs a command that needs the key, and returns its exit code, its words, and the keys that were sent. */
  async function sentKeys(address: { flag?: string; env?: string }, apiUrl: string | null = STORED) {
    mkdirSync(join(home.path, ".svc"));
    const file = join(home.path, ".svc", "credentials");
    writeFileSync(file, JSON.stringify({ apiKey: "sk_stored", apiUrl: apiUrl ?? undefined }), {
      mode: 0o600,
    });
    const { fetch, requests } = fakeService({ "GET /api/checks": { checks: [] } });
    const ran = await runSvc(
      ["monitors", "list", ...(address.flag === undefined ? [] : ["--api-url", address.flag])],
      {
        homeFolder: home.path,
        fetch,
        env: address.env === undefined ? {} : { SVC_API_URL: address.env },
      },
    );
    return { ...ran, keys: requests.map(({ headers }) => headers.get("authorization")) };
  }

  it.each([
    ["no other address", {}],
    ["its own address, spelled otherwise", { flag: "https://SVC.example.com:443/" }],
  ])("is sent to the service that made it: %s", async (_, address) => {
    const { code, keys } = await sentKeys(address);
    expect(code).toBe(0);
    expect(new Set(keys)).toEqual(new Set(["Bearer sk_stored"]));
  });

  it.each([
    ["SVC_API_URL", { env: "https://evil.example" }],
    ["--api-url", { flag: "https://evil.example" }],
    ["another port", { env: "https://svc.example.com:8443" }],
    ["another scheme", { env: "http://svc.example.com" }],
  ])("is not sent to another origin: %s", async (_, address) => {
    const { code, stderr, keys } = await sentKeys(address);
    expect([code, keys]).toEqual([2, []]);
    expect(stderr).toContain(`was made for ${STORED} and isn't sent to`);
    expect(stderr).toContain("svc login --force --api-url");
  });

  it("goes to this machine alone when the file names no address", async () => {
    expect((await sentKeys({ env: "http://127.0.0.1:9999" }, null)).code).toBe(0);
  });

  it("goes nowhere else when the file names no address", async () => {
    expect((await sentKeys({ env: STORED }, null)).code).toBe(2);
  });
});
