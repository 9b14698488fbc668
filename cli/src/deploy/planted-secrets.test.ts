/** Writes credentials wherever a user can write one, and looks for them in whatever the command line puts out. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { stringify } from "yaml";
import { memoryService } from "../../test-support/memory-service.ts";
import { runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

type Fields = Record<string, unknown>;

/** A way to write a credential: returns a config that holds it there. `n` makes other values change. */
type WrittenSecret = (secret: string, n: number) => Fields;

const PARAMETERS = [
  "token",
  "accessToken",
  "access-token",
  "clientSecret",
  "AWSAccessKeyId",
  "x_api_key",
  "userPassword",
  "authorization",
  "jwt",
  "pass",
  "username",
];

const ofMonitor =
  (fields: (secret: string, n: number) => Fields): WrittenSecret =>
  (secret, n) => ({
    monitors: [{ name: "one", type: "http", url: `https://a.example.com/${n}`, ...fields(secret, n) }],
  });
const ofMcp =
  (fields: (secret: string, n: number) => Fields): WrittenSecret =>
  (secret, n) => ({
    monitors: [{ name: "one", type: "mcp", endpoint: `https://a.example.com/${n}`, ...fields(secret, n) }],
  });
const ofArguments = (args: (secret: string, n: number) => Fields) =>
  ofMcp((secret, n) => ({ testCalls: [{ toolName: "t", arguments: { n, ...args(secret, n) } }] }));
const ofChannel =
  (channel: (secret: string, n: number) => Fields): WrittenSecret =>
  (secret, n) => ({
    alertChannels: { one: channel(secret, n) },
    monitors: [{ name: "one", type: "http", url: "https://a.example.com/" }],
  });

const WRITTEN_SECRETS: [string, WrittenSecret][] = [
  ["user of a URL", ofMonitor((secret, n) => ({ url: `https://${secret}@a.example.com/${n}` }))],
  ["password of a URL", ofMonitor((secret, n) => ({ url: `https://me:${secret}@a.example.com/${n}` }))],
  ...PARAMETERS.flatMap((name): [string, WrittenSecret][] => [
    [
      `parameter ${name}`,
      ofMonitor((secret, n) => ({ url: `https://a.example.com/${n}?q=1&${name}=${secret}&r=2` })),
    ],
    [`fragment ${name}`, ofMonitor((secret, n) => ({ url: `https://a.example.com/${n}#${name}=${secret}` }))],
    [`argument ${name}`, ofArguments((secret) => ({ [name]: secret }))],
  ]),
  [
    "URL in a parameter",
    ofMonitor((secret, n) => ({
      url: `https://a.example.com/${n}?next=${encodeURIComponent(`https://b/?jwt=${secret}`)}`,
    })),
  ],
  [
    "parameter of an endpoint",
    ofMcp((secret, n) => ({ endpoint: `https://a.example.com/${n}?sessionToken=${secret}` })),
  ],
  ["list of arguments", ofArguments((secret) => ({ refreshTokens: [secret] }))],
  ["object in arguments", ofArguments((secret) => ({ credentials: { a: { b: secret } } }))],
  [
    "URL in arguments",
    ofArguments((secret) => ({ target: `see https://me:${secret}@b.example.com/ there` })),
  ],
  ["header", ofMonitor((secret, n) => ({ headers: { "X-Own": secret, Accept: `text/${n}` } }))],
  ["Authorization", ofMonitor((secret) => ({ headers: { Authorization: `Bearer ${secret}` } }))],
  ["bearer token", ofMonitor((secret) => ({ auth: { type: "bearer", token: secret } }))],
  ["basic user", ofMonitor((secret) => ({ auth: { type: "basic", username: secret, password: "p" } }))],
  ["basic password", ofMonitor((secret) => ({ auth: { type: "basic", username: "me", password: secret } }))],
  ["api key", ofMonitor((secret) => ({ auth: { type: "api-key", value: secret } }))],
  ["mcp auth", ofMcp((secret) => ({ auth: { type: "bearer", token: secret } }))],
  [
    "chat",
    ofChannel((secret, n) => ({ type: "chat", webhookUrl: `https://hooks.example.com/${n}/${secret}` })),
  ],
  ["slack", ofChannel((secret, n) => ({ type: "slack", botToken: secret, channel: `C${n}` }))],
  [
    "discord",
    ofChannel((secret, n) => ({ type: "discord", webhookUrl: `https://d.example.com/${n}/${secret}` })),
  ],
  ["telegram", ofChannel((secret, n) => ({ type: "telegram", botToken: secret, chatId: `${n}` }))],
  ["jsm", ofChannel((secret, n) => ({ type: "jsm", apiKey: secret, apiUrl: `https://j.example.com/${n}` }))],
  [
    "ntfy topic",
    ofChannel((secret, n) => ({ type: "ntfy", topicUrl: `https://n${n}.example.com/${secret}` })),
  ],
  [
    "ntfy token",
    ofChannel((secret, n) => ({ type: "ntfy", topicUrl: `https://n.example.com/t${n}`, token: secret })),
  ],
  [
    "msteams",
    ofChannel((secret, n) => ({
      type: "msteams",
      webhookUrl: `https://hooks.example.com/${n}?sig=${secret}`,
    })),
  ],
  [
    "webhook path",
    ofChannel((secret, n) => ({ type: "webhook", url: `https://h${n}.example.com/${secret}` })),
  ],
  [
    "webhook header",
    ofChannel((secret) => ({ type: "webhook", url: "https://h.example.com", headers: { "X-Key": secret } })),
  ],
  ["routing key", ofChannel((secret) => ({ type: "paging", routingKey: secret }))],
  [
    "ticketing user",
    ofChannel((secret) => ({
      type: "ticketing",
      instanceUrl: "https://t.example.com",
      username: secret,
      password: "p",
    })),
  ],
  [
    "ticketing password",
    ofChannel((secret) => ({
      type: "ticketing",
      instanceUrl: "https://t.example.com",
      username: "me",
      password: secret,
    })),
  ],
  [
    "ticketing URL",
    ofChannel((secret) => ({
      type: "ticketing",
      instanceUrl: `https://me:${secret}@t.example.com`,
      username: "me",
      password: "p",
    })),
  ],
];

/** Credentials that no other text holds; with characters that URLs and YAML write in ways of their own. */
const SECRETS = ["Zx9-first_0189", "Zx9-second_0189"] as const;

it.each(WRITTEN_SECRETS)(
  "a credential written as %s is in no plan, no --json and no pulled file",
  async (_title, writtenIn) => {
    const service = memoryService();
    const run = (args: string[], cwd = folder.path) =>
      runSvc(args, { cwd, fetch: service.fetch, env: { SVC_API_KEY: "sk_test" } });
    const write = (config: Fields) =>
      writeFileSync(join(folder.path, "svc.config.yaml"), stringify({ project: "p", ...config }));
    const pulled = join(folder.path, "pulled");
    mkdirSync(pulled, { recursive: true });

    write(writtenIn(SECRETS[0], 1));
    const ran = [await run(["diff", "--verbose"]), await run(["deploy"])];
    expect(ran.map(({ code }) => code)).toEqual([0, 0]);
    write(writtenIn(SECRETS[1], 2));
    for (const args of [["diff"], ["diff", "--json"], ["deploy", "--json"]]) ran.push(await run(args));
    ran.push(await run(["pull"], pulled), await run(["monitors", "list", "--json"]));

    const output = ran.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    const files = [...filesIn(pulled), ...filesIn(join(folder.path, ".svc"))];
    expect(files.length).toBeGreaterThan(1);
    for (const text of [output, ...files])
      for (const secret of SECRETS) expect(text.includes(secret) ? text : "").toBe("");
  },
);

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"));
}
