import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createSecretBox } from "../../platform/db/secret-box.ts";
import { runProgram } from "./program.ts";
import { withServices } from "./with-services.ts";

const FIRST_KEY = "the-first-secret-key-that-only-tests-use-01";
const SECOND_KEY = "the-second-secret-key-that-only-tests-use-02";

let root: string;
let errors: string;

const path = (name: string) => join(root, name);

/** Runs a command on a data folder. */
async function run(dataDir: string, ...words: string[]): Promise<{ code: number; output: string }> {
  vi.stubEnv("SVC_DATA_DIR", path(dataDir));
  const lines: string[] = [];
  const code = await runProgram(["node", "svc-control-plane", ...words], (text) => lines.push(text));
  return { code, output: lines.join("\n") };
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "svc-backup-command-"));
  vi.stubEnv("DATABASE_URL", undefined);
  vi.stubEnv("SVC_DATA_DIR", path("data"));
  vi.stubEnv("SVC_SECRET_KEY", FIRST_KEY);
  await withServices(async ({ knex }) => {
    await knex("teams").insert({ id: "team_1", name: "Shop" });
    await knex("teamSecrets").insert({
      id: "sec_1",
      teamId: "team_1",
      name: "TOKEN",
      revision: 1,
      value: createSecretBox(FIRST_KEY).seal("the secret", "sec_1"),
    });
  });
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect((await run("data", "backup", path("backup"))).code).toBe(0);
  vi.restoreAllMocks();
}, 300_000);

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(() => {
  vi.stubEnv("DATABASE_URL", undefined);
  vi.stubEnv("SVC_SECRET_KEY", undefined);
  vi.stubEnv("SVC_SECRET_KEY_PREVIOUS", undefined);
  errors = "";
  const keep = (chunk: unknown) => {
    errors += String(chunk);
    return true;
  };
  vi.spyOn(process.stderr, "write").mockImplementation(keep as typeof process.stderr.write);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Reads the restored secret of a data folder, under the service's key there. */
async function restoredSecret(dataDir: string): Promise<string> {
  vi.stubEnv("SVC_DATA_DIR", path(dataDir));
  return withServices(async ({ knex, secrets }) => {
    const { value } = await knex("teamSecrets").first("value");
    expect(secrets.isCurrent(value)).toBe(true);
    return secrets.open(value, "sec_1");
  });
}

describe("backup", { timeout: 300_000 }, () => {
  it("is refused without a database in the data folder, and with one of the operator's own", async () => {
    expect((await run("empty", "backup", path("none"))).code).toBe(1);
    expect(errors).toBe(
      `svc-control-plane: there is no database in ${path("empty")}; SVC_DATA_DIR names the folder of another one\n`,
    );
    expect(existsSync(path("empty"))).toBe(false);
    vi.stubEnv("DATABASE_URL", "postgres://127.0.0.1:1/svc");
    vi.stubEnv("SVC_SECRET_KEY", FIRST_KEY);
    errors = "";
    expect((await run("data", "backup", path("none"))).code).toBe(2);
    expect((await run("data", "restore", path("backup"))).code).toBe(2);
    expect(errors).toContain("backup and restore are for the embedded database");
  });

  it("says where it is, how large, as of when, and that the key is not in it", async () => {
    const { code, output } = await run("data", "backup", path("another"));
    expect(code).toBe(0);
    expect(output).toMatch(/^backup in \S+\/another: \d+ MB, as of \S+Z\nIt holds no secret key: keep what/);
    expect((await run("data", "backup", path("another"))).code).toBe(1);
    expect(errors).toContain("exists already; name a folder that does not");
  });
});

describe("secrets export-key", () => {
  it("writes the keys of the settings, or the one that the service made, to a file closed to others", async () => {
    vi.stubEnv("SVC_SECRET_KEY", SECOND_KEY);
    vi.stubEnv("SVC_SECRET_KEY_PREVIOUS", FIRST_KEY);
    expect((await run("data", "secrets", "export-key", path("both"))).code).toBe(0);
    expect(readFileSync(path("both"), "utf8")).toMatch(
      new RegExp(`^SVC_SECRET_KEY=${SECOND_KEY}\nSVC_SECRET_KEY_PREVIOUS=${FIRST_KEY}\n$`, "m"),
    );
    expect(statSync(path("both")).mode & 0o077).toBe(0);
    expect((await run("data", "secrets", "export-key", path("both"))).code).toBe(1);
    vi.stubEnv("SVC_SECRET_KEY", undefined);
    vi.stubEnv("SVC_SECRET_KEY_PREVIOUS", undefined);
    mkdirSync(path("made"));
    writeFileSync(join(path("made"), "secret-key"), "made by the service\n");
    expect((await run("made", "secrets", "export-key", path("of-service"))).code).toBe(0);
    expect(readFileSync(path("of-service"), "utf8")).toContain("SVC_SECRET_KEY=made by the service\n");
    errors = "";
    expect((await run("empty", "secrets", "export-key", path("none"))).code).toBe(1);
    expect(errors).toContain("there is no key: SVC_SECRET_KEY is not set");
  });
});

describe("restore", { timeout: 300_000 }, () => {
  it("takes the key from the recovery file and keeps it for the service", async () => {
    writeFileSync(path("key"), `SVC_SECRET_KEY=${FIRST_KEY}\n`);
    const { code, output } = await run("from-file", "restore", path("backup"), "--key-file", path("key"));
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^restored to \S+, as of \S+Z; start the service/),
    ]);
    expect(statSync(join(path("from-file"), "secret-key")).mode & 0o077).toBe(0);
    expect(await restoredSecret("from-file")).toBe("the secret");
  });

  it("takes it from the settings, and seals anew what the previous one had sealed", async () => {
    vi.stubEnv("SVC_SECRET_KEY", SECOND_KEY);
    vi.stubEnv("SVC_SECRET_KEY_PREVIOUS", FIRST_KEY);
    expect((await run("from-settings", "restore", path("backup"))).code).toBe(0);
    expect(existsSync(join(path("from-settings"), "secret-key"))).toBe(false);
    vi.stubEnv("SVC_SECRET_KEY_PREVIOUS", undefined);
    expect(await restoredSecret("from-settings")).toBe("the secret");
  });

  it("is refused without a key and with one that opens nothing", async () => {
    expect((await run("lost", "restore", path("backup"))).code).toBe(1);
    expect(errors).toContain("the backup's credentials need their key");
    writeFileSync(path("wrong"), `SVC_SECRET_KEY=${SECOND_KEY}\n`);
    expect((await run("lost", "restore", path("backup"), "--key-file", path("wrong"))).code).toBe(1);
    expect(errors).toContain(
      "the key opens none of these credentials: team_secrets sec_1. Give the recovery",
    );
    expect(existsSync(join(path("lost"), "postgres"))).toBe(false);
  });

  it("goes without the key when a new one is asked for, and names what is lost with it", async () => {
    const { code, output } = await run("lost", "restore", path("backup"), "--new-key");
    expect([code, output]).toEqual([
      0,
      expect.stringContaining("credentials to enter again: team_secrets sec_1"),
    ]);
  });

  it("is refused when the service there would start with another key", async () => {
    mkdirSync(path("used"));
    writeFileSync(join(path("used"), "secret-key"), `${SECOND_KEY}\n`);
    writeFileSync(path("key-2"), `SVC_SECRET_KEY=${FIRST_KEY}\n`);
    expect((await run("used", "restore", path("backup"), "--key-file", path("key-2"))).code).toBe(1);
    expect(errors).toMatch(/used\/secret-key holds another key than \S+key-2; the service would start with/);
    expect(readFileSync(join(path("used"), "secret-key"), "utf8")).toBe(`${SECOND_KEY}\n`);
  });
});
