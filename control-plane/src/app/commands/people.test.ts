import { userInfo } from "node:os";
import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { useOperatorCommands } from "../../../test-support/operator-commands.ts";
import { verifyPassword } from "../../accounts/identity/passwords.ts";
import { hashToken } from "../../accounts/identity/tokens.ts";

const commands = useOperatorCommands();
const { run } = commands;

/** Makes a team and returns its id. */
async function aTeam(): Promise<string> {
  const { output } = await run("teams", "create", "--name", "Shop", "--owner-email", "olive@example.com");
  return /team_\w+/.exec(output)?.[0] ?? "";
}

/** Adds a person with an account to the team. */
async function aMember(teamId: string, email: string): Promise<void> {
  const { knex } = commands.database;
  const userId = `usr_${email}`;
  await knex("users").insert({ id: userId, email, passwordHash: "a hash" });
  await knex("memberships").insert({ teamId, userId, role: "member" });
  await knex("sessions").insert({
    tokenHash: hashToken(email),
    teamId,
    userId,
    expiresAt: new Date(Date.UTC(2999, 0)),
  });
}

/** Lines of `svc-control-plane audit`, without the heading. */
async function auditLines(...words: string[]): Promise<string[]> {
  const { code, output } = await run("audit", ...words);
  expect([code, commands.errors]).toEqual([0, ""]);
  return output.split("\n").slice(1);
}

describe("people", () => {
  it("invite prints the link; a wrong address, role or team is refused", async () => {
    const team = await aTeam();
    const invite = (...words: string[]) => run("people", "invite", "--team", team, ...words);
    expect((await invite("--email", "pat@example.com", "--role", "viewer")).output).toMatch(
      /^http:\/\/127\.0\.0\.1:8080\/auth\/invitation\?token=\S+ {2}\(once, within 7 days\)$/,
    );
    expect((await invite("--email", "pat")).code).toBe(1);
    expect((await invite("--email", "olive@example.com")).code).toBe(1);
    expect(commands.errors).toBe(
      "svc-control-plane: expected an email address\nsvc-control-plane: olive@example.com is a member of the team already\n",
    );
    expect((await invite("--email", "pat@example.com", "--role", "king")).code).toBe(2);
    expect((await run("people", "invite", "--team", "team_x", "--email", "p@example.com")).code).toBe(1);
  });

  it("list, set-role and remove work on one team's people; the last owner stays", async () => {
    const team = await aTeam();
    await aMember(team, "pat@example.com");
    const who = ["--team", team, "--email", "PAT@example.com"];
    expect((await run("people", "set-role", ...who, "--role", "viewer")).code).toBe(0);
    expect((await run("people", "list", "--team", team)).output).toMatch(
      /olive@example.com +owner +\S+ +never\n\S+ +pat@example.com +viewer/,
    );
    expect((await run("people", "remove", ...who)).code).toBe(0);
    expect(await commands.database.knex("sessions")).toEqual([]);
    expect((await run("people", "remove", ...who)).code).toBe(1);
    expect((await run("people", "remove", "--team", team, "--email", "olive@example.com")).code).toBe(1);
    expect((await run("people", "list", "--team", "team_x")).code).toBe(1);
  });

  it("reset-password takes the password away and ends the sessions, or sets the one from the input", async () => {
    const team = await aTeam();
    await aMember(team, "pat@example.com");
    const { knex } = commands.database;
    const hash = async () => (await knex("users").where({ email: "pat@example.com" }).first()).passwordHash;
    const reset = (...words: string[]) =>
      run("people", "reset-password", "--email", "pat@example.com", ...words);
    expect((await reset()).output).toMatch(/\/auth\/link\?token=/);
    expect([await hash(), await knex("sessions")]).toEqual([null, []]);
    const input = (text: string) =>
      vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([text]) as never);
    input("a good long password\n");
    expect((await reset("--stdin")).output).not.toContain("a good long");
    expect(await verifyPassword("a good long password", await hash())).toBe(true);
    input("short\n");
    expect((await reset("--stdin")).code).toBe(1);
    expect(await verifyPassword("a good long password", await hash())).toBe(true);
    expect((await run("people", "reset-password", "--email", "nobody@example.com")).code).toBe(1);
  });
});

describe("api-keys create", () => {
  it("makes a key of the role and end asked for, and prints it", async () => {
    const team = await aTeam();
    const words = ["api-keys", "create", "--team", team, "--role", "viewer", "--name", "CI"];
    const { output } = await run(...words, "--expires-at", "2999-01-31T00:00:00Z");
    const secret = /sk_[0-9a-f]{64}/.exec(output)?.[0] ?? "";
    const [key] = await commands.database.knex("apiKeys").where({ keyHash: hashToken(secret) });
    expect(key).toMatchObject({ teamId: team, role: "viewer", name: "CI", createdBy: null });
    expect((await run(...words, "--expires-at", "tomorrow")).code).toBe(1);
    expect((await run("api-keys", "create", "--team", "team_x")).code).toBe(1);
  });
});

describe("audit", () => {
  it("names the account that ran each command for a team, newest first", async () => {
    vi.stubEnv("SUDO_USER", "olga");
    const team = await aTeam();
    await aMember(team, "pat@example.com");
    const who = ["--team", team, "--email", "pat@example.com"];
    await run("people", "invite", "--team", team, "--email", "new@example.com");
    await run("people", "set-role", ...who, "--role", "viewer");
    await run("people", "reset-password", "--email", "pat@example.com");
    await run("people", "remove", ...who);
    await run("api-keys", "create", "--team", team, "--name", "CI");
    await run("teams", "set-plan", team, "free");
    await run("sign-in-link", "--email", "olive@example.com");
    const lines = await auditLines("--team", team);
    expect(lines.map((line) => line.split(/ {2,}/).slice(1))).toEqual(
      [
        ["sign_in_link.created", "olive@example.com"],
        ["team.plan_changed", "plan=free"],
        ["api_key.created", "CI"],
        ["member.removed", "pat@example.com role=viewer"],
        ["sign_in_link.created", "pat@example.com"],
        ["password.reset", "pat@example.com to=none"],
        ["member.role_changed", "pat@example.com role=viewer formerRole=member"],
        ["invitation.created", "new@example.com role=member"],
        ["sign_in_link.created", "olive@example.com"],
        ["team.created", "Shop"],
      ].map(([action, about]) => [action, expect.stringMatching(/^olga@/), "operator", about]),
    );
    expect(await auditLines("--team", team, "--limit", "1")).toEqual([lines[0]]);
  });

  it("without a team shows the commands that concern no one team", async () => {
    vi.stubEnv("SUDO_USER", undefined);
    await aTeam();
    await run("secrets", "reseal");
    await run("runner-keys", "create", "--hosted", "--name", "rack");
    const lines = await auditLines();
    expect(lines.map((line) => line.split(/ {2,}/).slice(1))).toEqual([
      ["runner_key.created", expect.stringContaining(`${userInfo().username}@`), "operator", "rack"],
      ["secrets.resealed", expect.stringContaining(`${userInfo().username}@`), "operator"],
    ]);
  });

  it("shows no control characters, and refuses a limit that is no number and a team that is none", async () => {
    const team = await aTeam();
    await run("api-keys", "create", "--team", team, "--name", "\u001b[2Jkey");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect((await run("audit", "--team", team)).output).not.toMatch(/\u001b/);
    for (const limit of ["0", "-1", "many"]) expect((await run("audit", "--limit", limit)).code).toBe(1);
    expect((await run("audit", "--team", "team_x")).code).toBe(1);
  });
});
