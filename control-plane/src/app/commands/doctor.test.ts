import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@svc/contract";
import { describe, expect, it, vi } from "vitest";
import { useOperatorCommands } from "../../../test-support/operator-commands.ts";

const commands = useOperatorCommands();
const { run } = commands;

/** Findings of an area in the output of `--json`. */
async function findings(area: string, ...options: string[]): Promise<{ level: string; message: string }[]> {
  const { output } = await run("doctor", "--json", ...options);
  const all = JSON.parse(output).findings as { area: string; level: string; message: string }[];
  return all.filter((finding) => finding.area === area);
}

describe("doctor", () => {
  it("examines a migrated database, and says what to do", async () => {
    vi.stubEnv("SVC_HTTP_PORT", "1");
    await run("teams", "create", "--name", "Shop", "--owner-email", "o@example.com");
    // The server of tests runs without fsync.
    const { code, output } = await run("doctor");
    expect(code).toBe(1);
    expect(output.match(/ problem .*/g)).toEqual([expect.stringContaining("fsync is off")]);
    expect(output).toMatch(/^database +ok +PostgreSQL 1\d\.\d+ .*answers in/);
    expect(output).toMatch(/\nsmtp +warning .*\n +to do: set SVC_SMTP_URL/);
    expect(commands.errors).toBe("");
  });

  it("finds credentials that the key does not open, and names them", async () => {
    await run("teams", "create", "--name", "Shop", "--owner-email", "o@example.com");
    const { knex } = commands.database;
    const [{ id: teamId }] = await knex("teams").select("id");
    const id = newId("channel");
    await knex("notificationChannels").insert({
      id,
      teamId,
      name: "c",
      type: "webhook",
      config: Buffer.from("sealed by some other key, long enough to be read"),
    });
    expect(await findings("secrets")).toEqual([
      expect.objectContaining({ level: "problem", message: expect.stringContaining(id) }),
    ]);
  });

  it("finds a database that lacks migrations, one that is empty, and one that is away", async () => {
    const { knex } = commands.database;
    await knex("svcMigrations").where("name", "like", "0048%").del();
    expect(await findings("database")).toContainEqual(
      expect.objectContaining({ level: "warning", message: expect.stringContaining("0048") }),
    );
    await knex.raw("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    expect((await findings("database")).map(({ level }) => level)).toEqual(["skipped"]);
    vi.stubEnv("DATABASE_URL", "postgres://x:s3cret@127.0.0.1:1/y");
    const [away] = await findings("database");
    expect(away).toMatchObject({ level: "problem", message: expect.stringContaining("ECONNREFUSED") });
    expect(JSON.stringify(away)).not.toContain("s3cret");
  });

  it("makes no database and no key where there is none; the exit code tells problems from warnings", async () => {
    const folder = join(tmpdir(), `svc-doctor-none-${process.pid}`);
    vi.stubEnv("DATABASE_URL", "");
    vi.stubEnv("SVC_SECRET_KEY", "");
    vi.stubEnv("SVC_DATA_DIR", folder);
    vi.stubEnv("SVC_HTTP_PORT", "1");
    expect((await findings("database")).map(({ level }) => level)).toEqual(["skipped"]);
    expect(existsSync(folder)).toBe(false);
    expect((await run("doctor")).code).toBe(0);
    vi.stubEnv("SVC_SMTP_URL", "smtp://127.0.0.1:1");
    vi.stubEnv("SVC_SMTP_FROM", "a@example.com");
    expect((await run("doctor")).code).toBe(1);
    expect(commands.errors).toBe("");
  });

  it("refuses an address that is none", async () => {
    expect((await run("doctor", "--reach", "example.com")).code).toBe(2);
    expect(commands.errors).toContain("--reach: example.com is no http:// or https:// URL");
  });
});
