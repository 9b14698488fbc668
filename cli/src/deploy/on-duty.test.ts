/** Rotas and the incident policy in a config: created in their order, compared, pruned, redirected, pulled. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FOLDER } from "@svc/as-code";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type MemoryService, memoryService } from "../../test-support/memory-service.ts";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
let service: MemoryService;
beforeEach(() => {
  folder = testFolder();
  service = memoryService();
});
afterEach(() => folder.remove());

const CHANNELS = `project: p
alertChannels:
  ada: { type: email, addresses: [ada@example.com] }
  bea: { type: email, addresses: [bea@example.com] }
`;
const ROTAS = `rotas:
  - name: On call
    timezone: Europe/Berlin
    startsAt: "2026-12-07T08:00:00.000Z"
    handover: { type: daily, time: "09:00" }
    members:
      - { name: Ada, channels: ["@ada"] }
      - { name: Bea, channels: ["@bea", "@ada"] }
    overrides:
      - { from: "2026-12-24T00:00:00.000Z", to: "2026-12-25T00:00:00.000Z", member: Ada }
`;
const POLICY = `incidentPolicy:
  steps:
    - { afterMinutes: 5, rota: On call }
    - { afterMinutes: 15, channels: ["@bea"], rota: On call }
`;
const CONFIG = CHANNELS + ROTAS + POLICY;
const write = (text: string) => writeFileSync(join(folder.path, "svc.config.yaml"), text);
const svc = (...args: string[]) =>
  runSvc([...args, "--json"], { cwd: folder.path, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
type Change = { kind: string; type: string; fieldChanges: { field: string }[] };
const stepsOf = (ran: Awaited<ReturnType<typeof svc>>) =>
  (ran.json().data.changes as Change[])
    .filter(({ kind }) => kind === "rota" || kind === "incident_policy")
    .map(({ kind, type, fieldChanges }) => [
      kind,
      type,
      ...fieldChanges.map(({ field }) => field.replace(/[.[].*/, "")),
    ]);
const idOf = (name: string) => service.channels.find((one) => one.name === name)?.id;

it("are created in the order in which they refer to each other, and then nothing is left to do", async () => {
  write(CONFIG);
  expect((await svc("validate")).json().data).toMatchObject({ rotas: 1, incidentPolicy: true });
  const first = await svc("deploy");
  expect([first.code, stepsOf(first)]).toEqual([
    0,
    [
      ["rota", "create"],
      ["incident_policy", "create"],
    ],
  ]);
  const rotaId = service.rotas[0]?.id;
  expect(service.rotas).toMatchObject([
    {
      name: "On call",
      handover: { type: "daily", everyDays: 1, time: "09:00" },
      members: [
        { name: "Ada", channelIds: [idOf("ada")] },
        { name: "Bea", channelIds: [idOf("bea"), idOf("ada")] },
      ],
    },
  ]);
  expect(service.steps).toEqual([
    { afterMinutes: 5, channelIds: [], rotaId },
    { afterMinutes: 15, channelIds: [idOf("bea")], rotaId },
  ]);
  expect(stepsOf(await svc("diff"))).toEqual([
    ["rota", "unchanged"],
    ["incident_policy", "unchanged"],
  ]);
});

it("are changed field by field", async () => {
  write(CONFIG);
  await svc("deploy");
  write(CONFIG.replace('"09:00"', '"10:00"').replace("afterMinutes: 5", "afterMinutes: 6"));
  expect(stepsOf(await svc("diff"))).toEqual([
    ["rota", "update", "handover"],
    ["incident_policy", "update", "steps"],
  ]);
  expect((await svc("deploy")).code).toBe(0);
  expect(service.steps[0]).toMatchObject({ afterMinutes: 6 });
});

it("stay without --prune when the config lacks them, and go with it: the policy first", async () => {
  write(CONFIG);
  await svc("deploy");
  write(CHANNELS);
  const kept = await svc("diff");
  expect([stepsOf(kept), kept.json().data.prunable]).toEqual([
    [],
    [
      { kind: "rota", name: "On call" },
      { kind: "incident_policy", name: "incidentPolicy" },
    ],
  ]);
  service.routes.length = 0;
  expect((await svc("deploy", "--prune")).code).toBe(0);
  expect([service.rotas, service.steps]).toEqual([[], []]);
  const writes = service.routes.filter((route) => /^(PUT|DELETE)/.test(route) && !/baselines/.test(route));
  expect(writes).toEqual(["PUT /api/incident-policy", expect.stringContaining("DELETE /api/rotas/")]);
});

it("stay with --prune when another project deployed them", async () => {
  write(CONFIG);
  await svc("deploy");
  // Elsewhere: a folder that knows of a deploy would take it for the project under a new name.
  rmSync(join(folder.path, ".svc"), { recursive: true });
  write(CHANNELS.replace("project: p", "project: q"));
  const ran = await svc("deploy", "--prune");
  expect([ran.code, service.rotas.length, service.steps.length]).toEqual([0, 1, 2]);
  expect(ran.json().data.leftAlone).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: "rota", reason: "deployed by the project p" }),
      expect.objectContaining({ kind: "incident_policy", reason: "deployed by the project p" }),
    ]),
  );
});

it("name the new channel where one is replaced, also when the config lacks them", async () => {
  write(CONFIG);
  await svc("deploy");
  const former = idOf("bea");
  write(
    CHANNELS.replace(
      "bea: { type: email, addresses: [bea@example.com] }",
      "bea: { type: chat, webhookUrl: 'https://chat.example/' }",
    ),
  );
  const ran = await svc("deploy");
  expect(ran.code).toBe(0);
  expect(idOf("bea")).not.toBe(former);
  expect(JSON.stringify([service.rotas, service.steps])).not.toContain(former);
  expect(service.steps[1]).toMatchObject({ channelIds: [idOf("bea")] });
});

it("are drift when somebody has changed them on the service", async () => {
  write(CONFIG);
  await svc("deploy");
  Object.assign(service.rotas[0] ?? {}, { timezone: "UTC", updatedAt: "2026-06-02T00:00:00.000Z" });
  const ran = await svc("diff");
  expect([ran.code, stepsOf(ran)[0]]).toEqual([5, ["rota", "update", "timezone"]]);
});

it("are pulled in both layouts, as a config that changes nothing", async () => {
  write(CONFIG);
  await svc("deploy");
  const pulled = await svc("pull", "--force");
  expect([pulled.code, pulled.json().data]).toMatchObject([
    0,
    { rotas: 1, incidentPolicy: true, problems: [] },
  ]);
  const text = readFileSync(join(folder.path, "svc.config.yaml"), "utf8");
  expect(text).toContain("rota: On call");
  expect(text).not.toContain("everyDays");
  const elsewhere = join(folder.path, "parts");
  mkdirSync(elsewhere);
  expect((await svc("pull", "--format", "directory", "-o", elsewhere)).json().data.problems).toEqual([]);
  expect(readFileSync(join(elsewhere, CONFIG_FOLDER, "on-duty.yaml"), "utf8")).toContain("incidentPolicy:");
});

it.each([
  ["an unknown channel of a member", '["@ada"]', '["@adda"]', 'did you mean "ada"?'],
  [
    "an unknown channel of a step",
    'channels: ["@bea"], rota',
    'channels: ["@beaa"], rota',
    'did you mean "bea"?',
  ],
  [
    "an unknown rota",
    "5, rota: On call",
    "5, rota: On cal",
    'there is no rota "On cal"; did you mean "On call"?',
  ],
  ["a step for nobody", "5, rota: On call", "5", "at least one channel, or a rota"],
  ["steps out of order", "afterMinutes: 5", "afterMinutes: 20", "expected more than the 20"],
  ["no step", /steps:[\s\S]*/, "steps: []\n", "at least one step"],
  ["a member twice", "name: Bea", "name: Ada", "another member of that name"],
  ["an override of a stranger", "member: Ada", "member: Cem", 'there is no member "Cem"'],
  ["a rota twice", POLICY, ROTAS.replace("rotas:\n", ""), 'there is another rota "On call"'],
  ["an unknown field", "timezone:", "timezon:", 'did you mean "timezone"?'],
])("are refused with %s", async (_what, before, after, message) => {
  write(CONFIG.replace(before, after));
  const { code, stdout } = await svc("validate");
  expect([code, stdout.replaceAll("\\", "")]).toEqual([1, expect.stringContaining(message)]);
});
