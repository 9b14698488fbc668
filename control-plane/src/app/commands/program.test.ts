import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@svc/contract";
import { describe, expect, it, vi } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { createTestDatabase } from "../../../test-support/database.ts";
import { aCheck, aTeam, type TestCheck } from "../../../test-support/fleet.ts";
import { OPERATOR_SECRET_KEY, useOperatorCommands } from "../../../test-support/operator-commands.ts";
import { hashToken } from "../../accounts/identity/tokens.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { NEWEST_MIGRATION } from "../../platform/db/migrations/registry.ts";
import { createSecretBox } from "../../platform/db/secret-box.ts";
import { VERSION } from "../../platform/version.ts";
import { createProgram } from "./program.ts";

const commands = useOperatorCommands();
const { run } = commands;

describe("teams", () => {
  it("create tells what a second team may reach where nobody decided about private addresses", async () => {
    const first = await run("teams", "create", "--name", "Shop", "--owner-email", "o@example.com");
    expect(first.output).not.toContain("SVC_EGRESS_PRIVATE");
    const second = await run("teams", "create", "--name", "Bank", "--owner-email", "b@example.com");
    expect(second.output).toContain("SVC_EGRESS_PRIVATE");
    vi.stubEnv("SVC_EGRESS_PRIVATE", "deny");
    const third = await run("teams", "create", "--name", "Farm", "--owner-email", "f@example.com");
    expect(third.output).not.toContain("SVC_EGRESS_PRIVATE");
  });

  it("create makes team, owner, link and key; a second team of the same owner shares the account", async () => {
    const made = await run(
      "teams",
      "create",
      "--name",
      "Shop",
      "--owner-email",
      "Olive@example.com",
      "--api-key",
    );
    expect(made.code).toBe(0);
    const key = /sk_[0-9a-f]{64}/.exec(made.output)?.[0] ?? "";
    expect(made.output).toMatch(/http:\/\/127\.0\.0\.1:8080\/auth\/link\?token=\S+/);
    const { knex } = commands.database;
    expect(await knex("api_keys").where({ keyHash: hashToken(key) })).toHaveLength(1);
    await run("teams", "create", "--name", "Other", "--owner-email", "olive@EXAMPLE.com");
    expect(await knex("users")).toHaveLength(1);
    const list = await run("teams", "list");
    expect(list.output).toMatch(
      /ID +NAME +PLAN +CHECKS +OWNERS +CREATED\nteam_\S+ +Shop +self_hosted +0 +Olive@example.com/,
    );
    expect(list.output.split("\n")).toHaveLength(3);
  });

  it("set-plan changes the plan; an unknown plan or team is one line and exit code 1", async () => {
    const { output } = await run("teams", "create", "--name", "Shop", "--owner-email", "o@example.com");
    const id = /team_\w+/.exec(output)?.[0] ?? "";
    expect((await run("teams", "set-plan", id, "free")).output).toBe(`team ${id} is on plan free`);
    expect((await run("teams", "set-plan", id, "gold")).code).toBe(1);
    expect(commands.errors).toBe('svc-control-plane: No plan "gold"; there are free, pro, self_hosted\n');
    commands.errors = "";
    expect((await run("teams", "set-plan", "team_x", "free")).code).toBe(1);
    expect(commands.errors).toBe("svc-control-plane: Team team_x not found\n");
    expect(await commands.database.knex("teams").select("plan")).toEqual([{ plan: "free" }]);
  });

  it("set-plan --help names every plan there is", async () => {
    const setPlan = createProgram(() => undefined)
      .commands.find((command) => command.name() === "teams")
      ?.commands.find((command) => command.name() === "set-plan");
    for (const { name } of await commands.database.knex("plans").select("name"))
      expect(setPlan?.helpInformation()).toContain(name);
  });

  it("sign-in-link makes another link for an account, and none for a stranger", async () => {
    await run("teams", "create", "--name", "Shop", "--owner-email", "o@example.com");
    expect((await run("sign-in-link", "--email", "o@example.com")).output).toMatch(/\/auth\/link\?token=/);
    expect((await run("sign-in-link", "--email", "x@example.com")).code).toBe(1);
  });
});

describe("migrate", () => {
  it("runs what the database lacks and says how it goes", async () => {
    await commands.database.knex("svc_migrations").where("name", NEWEST_MIGRATION).delete();
    const plan = await run("migrate", "--plan");
    expect([plan.code, plan.output, commands.errors]).toEqual([
      0,
      `1 migration would run, each in a transaction of its own:\n  ${NEWEST_MIGRATION}`,
      "",
    ]);
    expect(await run("migrate")).toEqual({ code: 0, output: "the database is up to date" });
    expect(commands.errors).toBe(`migration ${NEWEST_MIGRATION} (1 of 1) runs\n`);
    expect((await run("migrate", "--plan")).output).toBe("the database is up to date");
  });

  it("plans every migration where there is no database yet, and makes none", async () => {
    const dataDir = join(tmpdir(), `svc-no-database-${newId("team")}`);
    vi.stubEnv("DATABASE_URL", "");
    vi.stubEnv("SVC_DATA_DIR", dataDir);
    const { code, output } = await run("migrate", "--plan");
    expect([code, output]).toEqual([0, expect.stringContaining("  0001-foundation\n")]);
    expect(output).toContain("would run, all in one transaction, since the database is new:\n");
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe("runner-keys", () => {
  it("create, list and revoke a key of the hosted pool", async () => {
    const { output } = await run("runner-keys", "create", "--hosted", "--name", "rack 1");
    const [id = "", secret = ""] = [/rkey_\w+/.exec(output)?.[0], /rk_[0-9a-f]{64}/.exec(output)?.[0]];
    expect(
      await commands.database.knex("runner_keys").where({ id, keyHash: hashToken(secret) }),
    ).toHaveLength(1);
    expect((await run("runner-keys", "list")).output).toMatch(
      /rack 1 +rk_[0-9a-f]{8}\.\.\. +hosted pool +never/,
    );
    expect((await run("runner-keys", "revoke", id)).code).toBe(0);
    expect((await run("runner-keys", "revoke", id)).code).toBe(1);
  });
});

describe("locations", () => {
  const statusOf = (id: string) =>
    commands.database.knex("locations").where({ id }).first("status", "replacedBy");

  it("deprecate, retire and activate a hosted location, with its successor, and record it", async () => {
    const { knex } = commands.database;
    await seedHostedLocations(knex);
    const id = "loc_eu_west_2";
    const deprecated = await run("locations", "deprecate", id, "--replaced-by", "loc_eu_west");
    expect(deprecated.output).toBe(`location ${id} is deprecated; 0 teams have checks there`);
    expect(await statusOf(id)).toEqual({ status: "deprecated", replacedBy: "loc_eu_west" });
    const again = await run("locations", "deprecate", id, "--replaced-by", "loc_eu_west");
    expect(again.output).toBe(`location ${id} is deprecated already`);
    expect((await run("locations", "retire", id)).code).toBe(0);
    expect(await statusOf(id)).toEqual({ status: "retired", replacedBy: null });
    expect((await run("locations", "list")).output).toMatch(/loc_eu_west_2 +eu-west-2 +retired +- +0/);
    expect((await run("locations", "activate", id)).code).toBe(0);
    expect(await statusOf(id)).toEqual({ status: "active", replacedBy: null });
    const audited = await knex("auditEntries").where({ resourceId: id }).orderBy("key").pluck("action");
    expect(audited).toEqual(["location.deprecated", "location.retired", "location.activated"]);
  });

  it.each([
    [["retire", "loc_nowhere"], "Hosted location loc_nowhere not found"],
    [
      ["retire", "loc_us_east", "--replaced-by", "loc_nowhere"],
      "--replaced-by loc_nowhere is not a hosted location",
    ],
    [["retire", "loc_us_east", "--replaced-by", "loc_us_east"], "loc_us_east can't replace itself"],
  ])("%j is refused and changes nothing", async (args, message) => {
    await seedHostedLocations(commands.database.knex);
    commands.errors = "";
    expect((await run("locations", ...args)).code).toBe(1);
    expect(commands.errors).toBe(`svc-control-plane: ${message}\n`);
    expect((await statusOf("loc_us_east")).status).toBe("active");
  });

  it("retiring is an event in the feed of each team with checks there, and of no other", async () => {
    const { knex } = commands.database;
    await seedHostedLocations(knex);
    const teamOf = async (name: string) => {
      await run("teams", "create", "--name", name, "--owner-email", `${name}@example.com`);
      return (await knex("teams").where({ name }).first("id")).id as string;
    };
    const [there, elsewhere] = [await teamOf("there"), await teamOf("elsewhere")];
    const aCheckAt = (teamId: string, locationId: string) =>
      knex("checks").insert({
        id: newId("check"),
        teamId,
        name: "c",
        type: "http",
        config: "{}",
        frequencySeconds: 60,
        locationIds: [locationId],
        enabled: true,
        revision: 1,
      });
    await aCheckAt(there, "loc_ap_south");
    await aCheckAt(there, "loc_ap_south");
    await aCheckAt(elsewhere, "loc_us_east");
    const { output } = await run("locations", "retire", "loc_ap_south", "--replaced-by", "loc_ap_southeast");
    expect(output).toBe("location loc_ap_south is retired; 1 team has checks there");
    const events = await knex("derivedEvents").where({ name: "synthetics.location.status_changed" });
    expect(events).toMatchObject([
      {
        teamId: there,
        severity: "warning",
        attributes: {
          "synthetics.location.id": "loc_ap_south",
          "synthetics.location.status": "retired",
          "synthetics.location.previous_status": "active",
          "synthetics.location.replaced_by": "loc_ap_southeast",
        },
      },
    ]);
  });
});

describe("names that teams chose", () => {
  it("reach the operator's terminal without control characters", async () => {
    const name = "\u001b]0;owned\u0007\u001b[2Jrack\u009b31m\u202e1\n2";
    await run("teams", "create", "--name", name, "--owner-email", "o@example.com");
    await run("runner-keys", "create", "--hosted", "--name", name);
    for (const { output } of [await run("teams", "list"), await run("runner-keys", "list")]) {
      expect(output).toContain("rack");
      expect(output.split("\n")).toHaveLength(2);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });
});

describe("secrets", () => {
  const FORMER_KEY = "the-former-secret-key-of-these-tests-0123456789";
  const AUTH = { type: "bearer", token: "hush" };

  /** A check and a channel sealed under the key. */
  async function someSealed(secretKey: string) {
    const { knex } = commands.database;
    const box = createSecretBox(secretKey);
    const team = await aTeam(knex);
    const check = await aCheck(knex, team);
    await aCheck(knex, team);
    await knex("checks")
      .where({ key: check.key })
      .update({ configSecrets: box.seal(JSON.stringify({ auth: AUTH }), check.id) });
    const channelId = newId("channel");
    const config = box.seal("{}", channelId);
    await knex("notificationChannels").insert({
      id: channelId,
      teamId: team.id,
      name: "n",
      type: "webhook",
      config,
    });
    return check;
  }
  const sealedOf = async (check: TestCheck) =>
    (await commands.database.knex("checks").where({ key: check.key }).first("configSecrets")).configSecrets;

  it("reseal makes the former key needless, in checks and channels, and says how many it changed", async () => {
    const check = await someSealed(FORMER_KEY);
    vi.stubEnv("SVC_SECRET_KEY_PREVIOUS", FORMER_KEY);
    const first = await run("secrets", "reseal");
    expect([first.code, commands.errors]).toEqual([0, ""]);
    expect(first.output).toMatch(/checks +1 +0 +0\nnotification_channels +1 +0 +0/);
    const onlyCurrent = createSecretBox(OPERATOR_SECRET_KEY);
    expect(JSON.parse(onlyCurrent.open(await sealedOf(check), check.id))).toEqual({ auth: AUTH });
    const channel = await commands.database.knex("notificationChannels").first("id", "config");
    expect(onlyCurrent.open(channel.config, channel.id)).toBe("{}");
    expect((await run("secrets", "reseal")).output).toMatch(
      /checks +0 +1 +0\nnotification_channels +0 +1 +0/,
    );
  });

  it("reseal names what no known key opens, leaves it as it is, and fails", async () => {
    const lost = await someSealed("a-key-that-nobody-remembers-any-more-0123456789");
    const before = await sealedOf(lost);
    expect((await run("secrets", "reseal")).code).toBe(1);
    expect(commands.errors).toContain(lost.id);
    expect(await sealedOf(lost)).toEqual(before);
  });
});

describe("usage", () => {
  it.each([
    [["teams", "create"], 2],
    [["no-such-command"], 2],
    [["runner-keys", "create"], 2],
    [["--help"], 0],
    [["--version"], 0],
  ])("%j ends with %i", async (words, code) => expect((await run(...words)).code).toBe(code));

  it("a bad setting is one line that names it, and exit code 2", async () => {
    vi.stubEnv("SVC_HTTP_PORT", "web");
    expect((await run("teams", "list")).code).toBe(2);
    expect(commands.errors).toBe("svc-control-plane: SVC_HTTP_PORT: expected a port number\n");
  });

  it("migrate brings an empty database up to date, also twice", async () => {
    const empty = await createTestDatabase({ template: false });
    vi.stubEnv("DATABASE_URL", empty.url);
    expect((await run("migrate")).output).toBe("the database is up to date");
    expect((await run("migrate")).code).toBe(0);
    await empty.drop();
  });

  it("the version is package.json's", () => expect(VERSION).toBe(packageJson.version));
});
