import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../test-support/alerting.ts";
import { connectMcpClient, type TestMcpClient } from "../../test-support/mcp-client.ts";
import { addKey } from "../../test-support/people.ts";
import { createOverviewParts } from "../overview/routes.ts";
import { registerMcpRoutes } from "./routes.ts";

const TOKEN = "planted-token-of-a-check-111";

let test: AlertTest;
let mcp: TestMcpClient;
let check: AlertTestCheck;

beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => registerMcpRoutes(app, services, createOverviewParts()),
  });
  mcp = await connectMcpClient(test, {
    headers: await addKey(test, { teamId: test.team.teamId, role: "viewer" }),
  });
  check = await test.newCheck({
    name: "Shop",
    frequencySeconds: 300,
    locations: ["loc_us_east"],
    httpConfig: { url: "https://shop.example/", auth: { type: "bearer", token: TOKEN }, timeoutMs: 5_000 },
  } as never);
});
afterAll(() => test?.close());

/** Returns the config of the check, with these lines more. */
function config(...lines: string[]): string {
  return [
    "project: shop",
    "monitors:",
    "  - name: Shop",
    "    type: http",
    "    url: https://shop.example/",
    "    locations: [loc_us_east]",
    "    frequency: 5m",
    ...lines,
  ].join("\n");
}

async function contents(): Promise<unknown> {
  const { knex } = test.services;
  return [
    await knex("checks").select("*").orderBy("key"),
    await knex("changes").count(),
    await knex("deployPlans").count(),
  ];
}

describe("a proposed config", () => {
  it("is called valid, with what a deploy would create and change, and nothing is applied", async () => {
    const before = await contents();
    const answer = await mcp.ask("propose_config", {
      yaml: config(
        "    timeoutMs: 9000",
        '    auth: {type: bearer, token: "{{secrets.SHOP_TOKEN}}"}',
        "  - name: Cart",
        "    type: http",
        "    url: https://cart.example/",
        "    locations: [loc_us_east]",
      ),
    });
    expect(answer).toMatchObject({
      valid: true,
      deployable: true,
      counts: { create: 1, update: 1, delete: 0 },
      changes: [
        {
          type: "update",
          kind: "check",
          name: "Shop",
          id: check.id,
          fieldChanges: [{ field: "timeoutMs", oldValue: 5000, newValue: 9000 }],
        },
        { type: "create", kind: "check", name: "Cart" },
      ],
    });
    expect(await contents()).toEqual(before);
  });

  it("tells nothing of a credential: neither its value nor whether a guess is right", async () => {
    const guesses = [TOKEN, "another-token-entirely-0"];
    const answers = await Promise.all(
      guesses.map((token) =>
        mcp.ask("propose_config", {
          yaml: config("    timeoutMs: 5000", `    auth: {type: bearer, token: ${token}}`),
        }),
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0].counts).toMatchObject({ create: 0, update: 0 });
    expect(JSON.stringify(answers)).not.toContain(TOKEN);
  });

  it("that is not valid is answered with every problem and its position", async () => {
    const answer = await mcp.ask("propose_config", {
      yaml: config(
        "    frequency: 1s",
        "    colour: red",
        "    alerts: [{conditions: [{type: nonsense}], channels: ['@nobody']}]",
      ),
    });
    expect(answer.valid).toBe(false);
    expect(answer.problems.join("\n")).toMatch(/config:\d+:\d+/);
    expect(answer.problems.length).toBeGreaterThan(0);
  });

  it("without a project is taken for a fragment", async () => {
    const yaml = config("    timeoutMs: 5000").replace("project: shop\n", "");
    expect(await mcp.ask("propose_config", { yaml })).toMatchObject({ valid: true });
  });

  it("that names a location which does not exist is valid, and would be refused", async () => {
    const yaml = config().replace("loc_us_east", "loc_moon");
    expect(await mcp.ask("propose_config", { yaml })).toMatchObject({
      valid: true,
      deployable: false,
      problems: expect.arrayContaining([expect.stringContaining("there is no location loc_moon")]),
    });
  });

  it("whose script lies in a file is refused, naming the command that reads it", async () => {
    const yaml = config(
      "  - name: Flow",
      "    type: browser",
      "    script: ./flow.ts",
      "    locations: [loc_us_east]",
    );
    const { valid, problems } = await mcp.ask("propose_config", { yaml });
    expect([valid, problems.join()]).toEqual([false, expect.stringContaining("run svc diff")]);
  });

  it("of another team finds no check of this one", async () => {
    const other = await connectMcpClient(test, { headers: (await test.createTeam()).byKey });
    expect(await other.ask("propose_config", { yaml: config("    timeoutMs: 9000") })).toMatchObject({
      counts: { create: 1, update: 0, unchanged: 0 },
    });
  });

  it.each([
    [
      "aliases that multiply",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
        .split("")
        .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefg"[i]}`).join(",")}]`)
        .join("\n")}\nx-all: *h\n${""}`,
    ],
    ["nesting without end", "monitors: ".concat("[".repeat(50_000))],
    ["a hundred thousand lines", "- x\n".repeat(30_000)],
    ["no YAML", "monitors: [}"],
    ["an empty document", "# nothing\n"],
  ])("with %s is refused with the reason", async (_name, yaml) => {
    const answer = await mcp.client.callTool({ name: "propose_config", arguments: { yaml } });
    const { text } = (answer.content as [{ text: string }])[0];
    expect(text).toMatch(/"valid":false|"error"/);
  });

  it("longer than the limit is refused", async () => {
    const { problems } = await mcp.refused("propose_config", { yaml: "x".repeat(128 * 1024 + 1) });
    expect(problems.join()).toContain("at most 131072 characters");
  });
});
