/**
 * Deploys against a service in memory: the questions, and the state after a failure in the middle. For secrets see
 * deploy-secrets.test.ts.
 */
import { describe, expect, it } from "vitest";
import { memoryService } from "../../test-support/memory-service.ts";
import { setUpProjectFolder } from "../../test-support/project-folder.ts";

const project = setUpProjectFolder();

const FOUR = `project: p
monitors:
${["a", "b", "c", "d"].map((name) => `  - { name: ${name}, type: http, url: "https://${name}.example.com", labels: [x] }`).join("\n")}
`;
const namesOf = (list: Record<string, unknown>[]) => list.map(({ name }) => name).sort();

describe("a deploy that fails in the middle", () => {
  it("exits 4, says what was applied, and the next one does the rest", async () => {
    project.write("svc.config.yaml", FOUR);
    let isBroken = true;
    const service = memoryService(({ route, body }) =>
      isBroken && route === "POST /api/checks" && body.name === "c"
        ? Response.json({ error: "Internal error" }, { status: 500 })
        : undefined,
    );
    const failed = await project.run(["deploy", "--json"], service);
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
    const again = await project.run(["deploy", "--json"], service);
    expect(again.json()).toMatchObject({ ok: true, data: { drift: [] } });
    expect(namesOf(service.checks)).toEqual(["a", "b", "c", "d"]);
    const diff = await project.run(["diff", "--json"], service);
    expect(diff.json().data.summary).toEqual({ create: 0, update: 0, delete: 0, unchanged: 4 });
  });

  it("before anything was applied, exits as the failure itself", async () => {
    project.write("svc.config.yaml", FOUR);
    const service = memoryService(({ route }) =>
      route === "POST /api/checks"
        ? Response.json({ error: "The plan allows 3 checks" }, { status: 403 })
        : undefined,
    );
    const ran = await project.run(["deploy"], service);
    expect(ran.code).toBe(3);
    expect(ran.stderr).toContain("failed: create monitor");
    expect(ran.stderr).toContain("Run svc deploy again to continue");
  });

  it("Ctrl+C lets requests under way end, says what was done, and the next deploy goes on", async () => {
    project.write("svc.config.yaml", FOUR);
    const interrupt = new AbortController();
    const service = memoryService(({ route }) => {
      if (route.startsWith("PUT /api/checks/")) interrupt.abort();
      return undefined;
    });
    const ran = await project.run(["deploy"], service, { interrupted: interrupt.signal });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("the deploy was interrupted");
    const again = await project.run(["deploy", "--json"], memoryServiceOver(service));
    expect(again.json()).toMatchObject({ ok: true });
    expect(namesOf(service.checks)).toEqual(["a", "b", "c", "d"]);
  });

  it("Ctrl+C before anything is changed exits 130", async () => {
    project.write("svc.config.yaml", FOUR);
    const interrupt = new AbortController();
    const service = memoryService(() => {
      interrupt.abort();
      return undefined;
    });
    expect((await project.run(["deploy"], service, { interrupted: interrupt.signal })).code).toBe(130);
    expect(service.checks).toEqual([]);
  });

  it("a service that names its wait is asked again", async () => {
    project.write("svc.config.yaml", FOUR);
    let refusals = 0;
    const service = memoryService(({ route }) =>
      route === "POST /api/checks" && refusals++ < 3
        ? Response.json({ error: "too many" }, { status: 429, headers: { "Retry-After": "0" } })
        : undefined,
    );
    expect((await project.run(["deploy"], service)).code).toBe(0);
    expect(namesOf(service.checks)).toEqual(["a", "b", "c", "d"]);
  });
});

it("--wait exits 4 when a first result is a failure, and says which", async () => {
  project.write("svc.config.yaml", FOUR);
  const ran = await project.run(["deploy", "--wait", "--json"], memoryService());
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
  project.write("svc.config.yaml", FOUR);
  const interrupt = new AbortController();
  const service = memoryService(({ route }) =>
    route.endsWith("/results") ? (answer(interrupt) ?? undefined) : undefined,
  );
  const ran = await project.run(["deploy", "--wait", "--json"], service, { interrupted: interrupt.signal });
  expect(ran.code).toBe(4);
  expect(ran.json().error).toMatchObject({ code: "partial_failure", details: { applied: 4 } });
  expect(ran.json().error.message).toMatch(message);
});

it("a state file that can't be written is a warning: the deploy is done and the service keeps the baseline", async () => {
  project.write("svc.config.yaml", FOUR);
  project.write(".svc", "in the way of the folder");
  const ran = await project.run(["deploy"], memoryService());
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(".deploy-state.json could not be written");
});

it("--dry-run says of drift what a deploy with the same flags would do", async () => {
  const one = (frequency: string) =>
    `project: p\nmonitors:\n  - { name: a, type: http, url: "https://a.example.com", frequency: ${frequency} }\n`;
  project.write("svc.config.yaml", one("1m"));
  const service = memoryService();
  await project.run(["deploy"], service);
  Object.assign(service.checks[0] ?? {}, { frequencySeconds: 90, updatedAt: "2026-06-02T12:00:00.000Z" });
  const dryRun = async (...flags: string[]) =>
    project.run(["deploy", "--dry-run", "--json", ...flags], service);
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
    project.write("svc.config.yaml", config(count));
    const service = memoryService();
    expect((await project.run(["deploy"], service)).code).toBe(0);
    service.routes.length = 0;
    expect((await project.run(["deploy"], service)).code).toBe(0);
    expect(service.routes.filter((route) => !route.startsWith("GET "))).toEqual([]);
    counts.push(service.routes.length);
  }
  expect(counts[0]).toBe(counts[1]);
  expect(counts[0]).toBeLessThanOrEqual(14);
});

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
  project.write("svc.config.yaml", FOUR);
  for (const command of ["deploy", "diff"]) {
    const ran = await project.run([command], memoryService(answer));
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

it("Ctrl+C ends a deploy while the service does not answer", async () => {
  project.write("svc.config.yaml", FOUR);
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
  const ran = await project.run(["deploy"], { fetch: silentFetch }, { interrupted: interrupt.signal });
  expect(performance.now() - startedMs).toBeLessThan(15_000);
  expect([4, 130]).toContain(ran.code);
});

describe("a location that is not in service", () => {
  const aConfig = (...locations: string[]) =>
    `project: p\nmonitors:\n  - { name: a, type: http, url: "https://a.example.com", locations: [${locations}] }\n`;
  /** A service whose location loc_old is retired once it is said to be. */
  function retiringService() {
    const state = { status: "active" };
    const service = memoryService(({ route }) =>
      route === "GET /api/locations"
        ? Response.json({
            locations: [
              { id: "loc_us_east", name: "us-east", status: "active" },
              { id: "loc_old", name: "old", status: state.status, replacedBy: "loc_us_east" },
            ],
          })
        : undefined,
    );
    return { state, service };
  }

  it("is refused to a new monitor before anything is changed, which is sent to its successor", async () => {
    const { state, service } = retiringService();
    state.status = "deprecated";
    project.write("svc.config.yaml", aConfig("loc_old"));
    const { code, stderr } = await project.run(["deploy"], service);
    expect([code, service.checks]).toEqual([1, []]);
    expect(stderr).toContain('monitor "a": location loc_old is deprecated; use loc_us_east');
  });

  it("is noted of a monitor that has it already", async () => {
    const { state, service } = retiringService();
    project.write("svc.config.yaml", aConfig("loc_us_east", "loc_old"));
    expect((await project.run(["deploy", "--json"], service)).code).toBe(0);
    state.status = "retired";
    const { code, stderr } = await project.run(["diff"], service);
    expect(code).toBe(0);
    expect(stderr).toContain('note: monitor "a": location loc_old is retired; use loc_us_east');
    const { data } = (await project.run(["diff", "--json"], service)).json();
    expect(data.locationNotices).toEqual([
      { monitor: "a", locationId: "loc_old", message: "location loc_old is retired; use loc_us_east" },
    ]);
  });
});
