import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { svcWith } from "../../../test-support/svc-with.ts";

const rota = {
  id: "rota_1",
  name: "On call",
  timezone: "Europe/Berlin",
  startsAt: "2026-05-25T07:00:00.000Z",
  handover: { type: "weekly", weekday: "monday", time: "09:00" },
  members: [
    { name: "Ada", channelIds: ["nch_a"] },
    { name: "Bea", channelIds: ["nch_b", "nch_a"] },
  ],
  overrides: [
    { from: "2026-05-01T00:00:00.000Z", to: "2026-05-02T00:00:00.000Z", member: "Bea" },
    { from: "2026-07-01T00:00:00.000Z", to: "2026-07-02T00:00:00.000Z", member: "Ada" },
  ],
  onDuty: {
    member: "Bea",
    from: "2026-06-01T07:00:00.000Z",
    to: "2026-06-08T07:00:00.000Z",
    isOverride: false,
  },
  createdAt: "2026-05-01T00:00:00.000Z",
  updatedAt: null,
};
const channels = ["Ada", "Bea"].map((name) => ({
  id: `nch_${name[0]?.toLowerCase()}`,
  name: `${name} by mail`,
  type: "email",
  config: { type: "email", addresses: ["x@example.com"] },
}));
const answers = {
  "GET /api/rotas": { rotas: [rota] },
  "GET /api/rotas/rota_1": { rota },
  "GET /api/notification-channels": { channels },
  "POST /api/rotas": { rota },
  "PUT /api/rotas/rota_1": { rota },
  "DELETE /api/rotas/rota_1": { success: true },
};
const svc = (...args: string[]) => svcWith(answers, ["rotas", ...args]);
const bodyOf = async (...args: string[]) => {
  const { changes, stderr } = await svc(...args);
  return (changes[0] as { body: unknown } | undefined)?.body ?? stderr;
};
const MEMBERS = ["--member", "Ada=ada by mail", "--member", "Bea=nch_b", "--member", "Bea=Ada by mail"];

it("lists rotas with who is on duty, and shows one with the names of its channels", async () => {
  expect((await svc("list")).stdout).toMatch(
    /On call +Bea until 2026-06-08T07:00:00.000Z +each Monday at 09:00 +2 +rota_1/,
  );
  const { stdout } = await svc("get", "on call");
  expect(stdout).toContain("Bea: Bea by mail, Ada by mail");
  expect(stdout).toContain("2026-07-01T00:00:00.000Z to 2026-07-02T00:00:00.000Z: Ada");
});

it.each([
  ["Monday 09:00", { type: "weekly", weekday: "monday", time: "09:00" }],
  ["2d 21:30", { type: "daily", everyDays: 2, time: "21:30" }],
  ["12h", { type: "hourly", everyHours: 12 }],
])("creates one that is handed over %s, from now on", async (typed, handover) => {
  expect(await bodyOf("create", "--name", "R", "--handover", typed, ...MEMBERS)).toEqual({
    name: "R",
    startsAt: "2026-06-01T12:00:00.000Z",
    handover,
    members: [
      { name: "Ada", channelIds: ["nch_a"] },
      { name: "Bea", channelIds: ["nch_b", "nch_a"] },
    ],
  });
});

it.each([
  [["--name", "R", ...MEMBERS], "missing: --handover"],
  [["--handover", "12h"], "missing: --name, --member"],
  [["--name", "R", "--handover", "funday 09:00", ...MEMBERS], "--handover is"],
  [["--name", "R", "--handover", "monday", ...MEMBERS], "--handover is"],
  [["--name", "R", "--handover", "12h 09:00", ...MEMBERS], "--handover is"],
  [["--name", "R", "--handover", "12h", "--member", "Ada"], "expected <person>=<channel>"],
  [["--name", "R", "--handover", "12h", "--member", "Ada=Nobody"], "Nobody"],
])("create %j is refused and changes nothing", async (args, message) => {
  const { code, stderr, changes } = await svc("create", ...args);
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

it("adds an override in the rota's zone, and drops those that are over", async () => {
  const when = ["--starts", "2026-06-02T09:00", "--for", "90m"];
  expect(await bodyOf("override", "On call", "--member", "Ada", ...when)).toEqual({
    overrides: [
      rota.overrides[1],
      { from: "2026-06-02T07:00:00.000Z", to: "2026-06-02T08:30:00.000Z", member: "Ada" },
    ],
  });
  expect((await svc("override", "On call", "--member", "Ada")).stderr).toContain("--for");
});

/** A service whose rota is changed by somebody else `others` times, each right after it was read. */
function busyService(others: number) {
  let stored = rota;
  let version = 1;
  const change = (overrides: typeof rota.overrides) => {
    stored = { ...stored, overrides };
    version++;
  };
  const etag = () => `"${version}"`;
  return {
    overrides: () => stored.overrides,
    answers: {
      "GET /api/rotas": () => ({ status: 200, body: { rotas: [stored] } }),
      "GET /api/rotas/rota_1": () => {
        const answer = { status: 200, body: { rota: stored }, headers: { etag: etag() } };
        if (others-- > 0)
          change([
            ...stored.overrides,
            { from: "2026-08-01T00:00:00.000Z", to: "2026-08-02T00:00:00.000Z", member: "Bea" },
          ]);
        return answer;
      },
      "PUT /api/rotas/rota_1": (body: unknown, headers: Headers) => {
        const wanted = headers.get("if-match");
        if (wanted !== null && wanted !== etag())
          return { status: 412, body: { error: "This was changed since you read it; ... the new ETag" } };
        change((body as typeof rota).overrides);
        return { status: 200, body: { rota: stored } };
      },
    },
  };
}

it("an override that somebody else adds meanwhile is kept, and the command says to run it again", async () => {
  const { answers: served, overrides } = busyService(1);
  const args = [
    "rotas",
    "override",
    "On call",
    "--member",
    "Ada",
    "--starts",
    "2026-06-02T09:00",
    "--for",
    "90m",
  ];
  const first = await svcWith(served, args);
  expect([first.code, overrides().map(({ from }) => from.slice(0, 7))]).toEqual([
    1,
    ["2026-05", "2026-07", "2026-08"],
  ]);
  expect(first.stderr).toContain('somebody changed the rota "On call" meanwhile, so nothing was written');
  expect(first.stderr).toContain("Run the command again");
  expect(first.stderr).not.toContain("ETag");
  expect((await svcWith(served, args)).code).toBe(0);
  expect(overrides().map(({ from }) => from.slice(0, 7))).toEqual(["2026-07", "2026-08", "2026-06"]);
});

it("changes what is given, members as a file has them", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "svc-rotas-"));
  try {
    writeFileSync(join(cwd, "rota.yaml"), 'members: [{name: Cem, channels: ["@Bea by mail"]}]\n');
    const { changes } = await svcWith(
      answers,
      ["rotas", "edit", "On call", "--file", "rota.yaml", "--handover", "8h", "--yes"],
      { cwd },
    );
    expect(changes).toEqual([
      {
        route: "PUT /api/rotas/rota_1",
        body: {
          members: [{ name: "Cem", channelIds: ["nch_b"] }],
          handover: { type: "hourly", everyHours: 8 },
        },
      },
    ]);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
