/**
 * Deploys against a service in memory: the questions, the state after a failure in the middle, the secrets in the
 * output.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { type RunOptions, runSvc, testFolder } from "../../test-support/run-svc.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
}

function run(args: string[], service: { fetch: typeof fetch }, options: RunOptions = {}) {
  const { env, ...rest } = options;
  return runSvc(args, {
    cwd: folder.path,
    fetch: service.fetch,
    env: { SVC_API_KEY: "svc_key", ...env },
    ...rest,
  });
}

const FOUR = `project: p
monitors:
${["a", "b", "c", "d"].map((name) => `  - { name: ${name}, type: http, url: "https://${name}.example.com", labels: [x] }`).join("\n")}
`;
const namesOf = (list: Record<string, unknown>[]) => list.map(({ name }) => name).sort();

describe("a deploy that fails in the middle", () => {
  it("exits 4, says what was applied, and the next one does the rest", async () => {
    write("svc.config.yaml", FOUR);
    let isBroken = true;
    const service = memoryService(({ route, body }) =>
      isBroken && route === "POST /api/checks" && body.name === "c"
        ? Response.json({ error: "Internal error" }, { status: 500 })
        : undefined,
    );
    const failed = await run(["deploy", "--json"], service);
    expect(failed.code).toBe(4);
    const { error } = failed.json();
    expect(error).toMatchObject({ code: "partial_failure", details: { exitCode: 4 } });
    expect(error.details.failed).toMatchObject([
      { type: "create", kind: "check", name: "c", message: "the service failed (500): Internal error" },
    ]);
    const { applied, appliedInPart, notApplied } = error.details;
    expect(applied).toEqual([]);
    expect(namesOf(appliedInPart)).toContain("a");
    expect(namesOf([...appliedInPart, ...notApplied])).toEqual(["a", "b", "d"]);
    isBroken = false;
    const again = await run(["deploy", "--json"], service);
    expect(again.json()).toMatchObject({ ok: true, data: { drift: [] } });
    expect(namesOf(service.checks)).toEqual(["a", "b", "c", "d"]);
    const diff = await run(["diff", "--json"], service);
    expect(diff.json().data.summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: 4 });
  });

  it("before anything was applied, exits as the failure itself", async () => {
    write("svc.config.yaml", FOUR);
    const service = memoryService(({ route }) =>
      route === "POST /api/checks"
        ? Response.json({ error: "The plan allows 3 checks" }, { status: 403 })
        : undefined,
    );
    const ran = await run(["deploy"], service);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("failed: create monitor");
    expect(ran.stderr).toContain("Run svc deploy again to continue");
  });

  it("Ctrl+C lets requests under way end, says what was done, and the next deploy goes on", async () => {
    write("svc.config.yaml", FOUR);
    const interrupt = new AbortController();
    const service = memoryService(({ route }) => {
      if (route.startsWith("PUT /api/checks/")) interrupt.abort();
      return undefined;
    });
    const ran = await run(["deploy"], service, { interrupted: interrupt.signal });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("the deploy was interrupted");
    const again = await run(["deploy", "--json"], memoryServiceOver(service));
    expect(again.json()).toMatchObject({ ok: true });
    expect(namesOf(service.checks)).toEqual(["a", "b", "c", "d"]);
  });

  it("Ctrl+C before anything is changed exits 130", async () => {
    write("svc.config.yaml", FOUR);
    const interrupt = new AbortController();
    const service = memoryService(() => {
      interrupt.abort();
      return undefined;
    });
    expect((await run(["deploy"], service, { interrupted: interrupt.signal })).code).toBe(130);
    expect(service.checks).toEqual([]);
  });

  it("a service that names its wait is asked again", async () => {
    write("svc.config.yaml", FOUR);
    let refusals = 0;
    const service = memoryService(({ route }) =>
      route === "POST /api/checks" && refusals++ < 3
        ? Response.json({ error: "too many" }, { status: 429, headers: { "Retry-After": "0" } })
        : undefined,
    );
    expect((await run(["deploy"], service)).code).toBe(0);
    expect(namesOf(service.checks)).toEqual(["a", "b", "c", "d"]);
  });
});

it("--wait exits 4 when a first result is a failure, and says which", async () => {
  write("svc.config.yaml", FOUR);
  const ran = await run(["deploy", "--wait", "--json"], memoryService());
  expect(ran.code).toBe(4);
  expect(ran.json()).toMatchObject({
    ok: true,
    data: { applied: 4, firstResults: [{ name: "a", status: "failure" }, {}, {}, {}] },
  });
});

it.each([
  ["Ctrl+C", (interrupt: AbortController) => void interrupt.abort(), /4 changes are applied.*interrupted/],
  ["a key that is revoked", () => Response.json({ error: "no such key" }, { status: 401 }), /no such key/],
])("--wait that %s ends says that the changes are made, and exits 4", async (_what, answer, message) => {
  write("svc.config.yaml", FOUR);
  const interrupt = new AbortController();
  const service = memoryService(({ route }) =>
    route.endsWith("/results") ? (answer(interrupt) ?? undefined) : undefined,
  );
  const ran = await run(["deploy", "--wait", "--json"], service, { interrupted: interrupt.signal });
  expect(ran.code).toBe(4);
  expect(ran.json().error).toMatchObject({ code: "partial_failure", details: { applied: 4 } });
  expect(ran.json().error.message).toMatch(message);
});

it("a state file that can't be written is a warning: the deploy is done and the service keeps the baseline", async () => {
  write("svc.config.yaml", FOUR);
  write(".svc", "in the way of the folder");
  const ran = await run(["deploy"], memoryService());
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(".deploy-state.json could not be written");
});

it("--dry-run says of drift what a deploy with the same flags would do", async () => {
  const one = (frequency: string) =>
    `project: p\nmonitors:\n  - { name: a, type: http, url: "https://a.example.com", frequency: ${frequency} }\n`;
  write("svc.config.yaml", one("1m"));
  const service = memoryService();
  await run(["deploy"], service);
  Object.assign(service.checks[0] ?? {}, { frequencySeconds: 90, updatedAt: "2026-06-02T12:00:00.000Z" });
  const dryRun = async (...flags: string[]) => run(["deploy", "--dry-run", "--json", ...flags], service);
  expect((await dryRun()).code).toBe(5);
  expect((await dryRun("--force")).code).toBe(0);
  const accepting = await dryRun("--accept-remote");
  expect(accepting.code).toBe(0);
  expect(accepting.json().data.skipped).toMatchObject([{ name: "a", result: "drift" }]);
});

it("an unchanged deploy asks as often for 200 monitors as for one, and changes nothing", async () => {
  const config = (count: number) =>
    `project: p\nmonitors:\n${Array.from({ length: count }, (_, i) => `  - { name: m${i}, type: http, url: https://a.example.com }`).join("\n")}\n`;
  const counts: number[] = [];
  for (const count of [1, 200]) {
    write("svc.config.yaml", config(count));
    const service = memoryService();
    expect((await run(["deploy"], service)).code).toBe(0);
    service.routes.length = 0;
    expect((await run(["deploy"], service)).code).toBe(0);
    expect(service.routes.filter((route) => !route.startsWith("GET "))).toEqual([]);
    counts.push(service.routes.length);
  }
  expect(counts[0]).toBe(counts[1]);
  expect(counts[0]).toBeLessThanOrEqual(10);
}, 60_000);

it.each([
  [
    "HTML of a proxy with 200",
    () => html(200),
    /answered with text\/html that is not an answer of the svc API/,
  ],
  ["HTML of a proxy with 502", () => html(502), /answered 502, and not in the way of the svc API/],
  ["JSON that breaks off", () => json('{"checks": ['), /8080 answered with JSON that the svc API does not/],
  ["JSON of something else", () => json('{"ok":1}'), /8080 answered with JSON that the svc API does not/],
  [
    "no connection",
    () => Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })),
    /http:\/\/127.0.0.1:8080 can't be reached: connect ECONNREFUSED/,
  ],
])("deploy and diff name what answered in position of the service: %s", async (_title, answer, message) => {
  write("svc.config.yaml", FOUR);
  for (const command of ["deploy", "diff"]) {
    const ran = await run([command], memoryService(answer));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(message);
  }
});

/** The service without its interceptor. */
function memoryServiceOver(service: { fetch: typeof fetch }): { fetch: typeof fetch } {
  return { fetch: (input, init) => service.fetch(input, init) };
}

function json(text: string): Response {
  return new Response(text, { headers: { "Content-Type": "application/json" } });
}

function html(status: number): Response {
  return new Response("<html>hello</html>", { status, headers: { "Content-Type": "text/html" } });
}

/** A secret in every field that can hold one. */
function secretConfig(name: string, url: string): string {
  const s = (field: string) => `"{{secrets.${field}}}"`;
  const quoted = JSON.stringify(name);
  return `project: ${quoted}
alertChannels:
  chat: { type: chat, webhookUrl: "https://chat.example.com/{{secrets.CHAT}}" }
  web: { type: webhook, url: "https://hooks.example.com/{{secrets.HOOK}}", headers: { X-Token: ${s("HEADER")} } }
  page: { type: paging, routingKey: ${s("ROUTING")} }
  desk: { type: ticketing, instanceUrl: "https://desk.example.com", username: ${s("USER")}, password: ${s("PASSWORD")} }
monitors:
  - name: ${quoted}
    type: http
    url: "${url}/{{secrets.PATH_PART}}?token={{secrets.QUERY}}&q={{secrets.PLAIN}}"
    method: POST
    headers: { Authorization: "Bearer {{secrets.BEARER}}", Accept: ${s("ACCEPT")} }
    body: ${s("BODY")}
    auth: { type: basic, username: ${s("NAME")}, password: ${s("AUTH")} }
    assertions: [{ type: body_contains, value: ${s("ASSERTED")} }, { type: header_value, header: x, value: ${s("VALUE")} }]
  - { name: tools, type: mcp, endpoint: "https://mcp.example.com/{{secrets.MCP}}", auth: { type: bearer, token: ${s("TOKEN")} }, testCalls: [{ toolName: t, arguments: { a: ${s("ARGUMENT")} } }] }
  - { name: flow, type: browser, script: flow.ts }
  - { name: "named {{secrets.NAMED}}", type: http, url: "https://a.example.com" }
`;
}

const FIELDS = [
  "CHAT",
  "HOOK",
  "HEADER",
  "ROUTING",
  "USER",
  "PASSWORD",
  "PATH_PART",
  "QUERY",
  "PLAIN",
  "BEARER",
  "ACCEPT",
  "BODY",
  "NAME",
  "AUTH",
  "ASSERTED",
  "VALUE",
  "MCP",
  "TOKEN",
  "ARGUMENT",
  "SCRIPT",
  "NAMED",
];
const COMMANDS = [["validate"], ["diff"], ["deploy"], ["deploy", "--prune", "--force"], ["test"]];

it("no secret, old or new, and nothing that a terminal or CI runner acts on, is ever written", async () => {
  const hostilePieces = ["\u001b[2J", "\u001b]8;;http://x\u0007", "\u009b1m", "\u202e"];
  const ciCommands = ["\n::error::x", "##vso[task.x]", "##teamcity[x]"];
  const otherPieces = ["\r", "a", " ", '"', "é", "::", "\u2028"];
  const piece = fc.constantFrom(...hostilePieces, ...ciCommands, ...otherPieces);
  const hostileName = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
  const secretText = fc.stringMatching(/^[A-Za-z0-9+/=._~!*'()-]{6,20}$/);
  await fc.assert(
    fc.asyncProperty(hostileName, secretText, fc.boolean(), async (name, text, echoes) => {
      const values = (round: string) => FIELDS.map((field) => [field, `${round}${field}-${text}`] as const);
      const rounds = ["old", "new"].map(values);
      const echo = echoes
        ? ({ route, body }: { route: string; body: unknown }) =>
            route.startsWith("PUT ") && !route.includes("baselines")
              ? Response.json({ error: `refused: ${JSON.stringify(body)}` }, { status: 400 })
              : undefined
        : undefined;
      const service = memoryService(echo);
      let written = "";
      for (const round of rounds) {
        const env = Object.fromEntries(round.map(([field, value]) => [`SVC_SECRET_${field}`, value]));
        write("svc.config.yaml", secretConfig(name, "http://127.0.0.1:9"));
        write("flow.ts", "fill('{{secrets.SCRIPT}}');");
        for (const command of COMMANDS)
          for (const flags of [[], ["--json"], ["--verbose"]]) {
            const ran = await run([...command, ...flags], service, { env });
            written += ran.stdout + ran.stderr;
          }
      }
      for (const [field, value] of rounds.flat()) {
        // An old value is known by its field alone: what lies in a shown one is not recognised once it is in no config.
        if (value.startsWith("old") && !HIDDEN_BY_FIELD.has(field)) continue;
        for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString("base64")])
          expect(
            written.includes(form),
            `${field} in ${written.slice(Math.max(0, written.indexOf(form) - 200), written.indexOf(form) + 80)}`,
          ).toBe(false);
      }
      expect(written).not.toMatch(CONTROLS);
      expect(written).not.toMatch(/^\s*::\w+::|##(vso|teamcity)\[/m);
    }),
    { numRuns: 6 },
  );
}, 240_000);

const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202a-\u202e\u2066-\u2069]/;

/** Fields that are hidden whatever they hold. */
const HIDDEN_BY_FIELD = new Set([
  "CHAT",
  "HOOK",
  "HEADER",
  "ROUTING",
  "USER",
  "PASSWORD",
  "QUERY",
  "BEARER",
  "BODY",
  "NAME",
  "AUTH",
  "TOKEN",
  "SCRIPT",
]);

it("Ctrl+C ends a deploy within 5 s while the service does not answer", async () => {
  write("svc.config.yaml", FOUR);
  const interrupt = new AbortController();
  const service = memoryService();
  const silentFetch: typeof fetch = async (input, init) => {
    if (init?.method !== "POST" && !interrupt.signal.aborted) return await service.fetch(input, init);
    interrupt.abort();
    return await new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      if (init?.signal?.aborted) reject(init.signal.reason);
    });
  };
  const startedMs = performance.now();
  const ran = await run(["deploy"], { fetch: silentFetch }, { interrupted: interrupt.signal });
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect([4, 130]).toContain(ran.code);
}, 20_000);
