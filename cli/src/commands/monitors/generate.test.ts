import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runSvc } from "../../../test-support/run-svc.ts";

const SCRIPT = `// @step: Open\nawait page.goto("https://shop.example/");\n`;
const generated = (verified: object = {}) => ({
  mode: "playwright",
  script: SCRIPT,
  description: "open the shop",
  model: "m-1",
  steps: ["Open"],
  verified: { status: "passed", problem: null, notes: [], screenshots: [], testRunUrl: null, ...verified },
});
const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const progress = (phase: string, problem: string | null = null) =>
  event("progress", { phase, attempt: 1, problem, at: "2026-06-01T12:00:00.000Z" });

/** Answers by these pieces of a stream, and remembers the body of the request. */
function service(...pieces: string[]) {
  const asked: Record<string, unknown>[] = [];
  const stream = async (_input: unknown, init?: RequestInit) => {
    asked.push(JSON.parse(String(init?.body)));
    const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
    const body = new ReadableStream({
      start(controller) {
        for (const piece of bytes) controller.enqueue(piece);
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { asked, fetch: stream as typeof fetch };
}
const run = (fetch: typeof globalThis.fetch, args: string[], cwd?: string) =>
  runSvc(["monitors", "generate", ...args], { env: { SVC_API_KEY: "sk_x" }, fetch, ...(cwd && { cwd }) });

it("says where it is, prints the script, and how its try went", async () => {
  const result = event("result", generated());
  const half = Math.floor(result.length / 2);
  const { fetch, asked } = service(
    progress("looking") + progress("writing"),
    progress("repairing", "button not found\nCall log:"),
    result.slice(0, half),
    result.slice(half),
  );
  const { code, stdout, stderr } = await run(fetch, [
    "open the shop",
    "--url",
    "https://shop.example/",
    "--allow-writes",
  ]);
  expect([code, stdout]).toEqual([0, SCRIPT]);
  expect(stderr).toMatch(
    /looking at the page[\s\S]*writing the script[\s\S]*repairing it: button not found\n[\s\S]*it passed/,
  );
  expect(asked).toEqual([
    { description: "open the shop", targetUrl: "https://shop.example/", allowWrites: true },
  ]);
  const json = await run(service(result).fetch, ["open the shop", "--json"]);
  expect(json.json()).toEqual({ ok: true, data: { ...generated(), file: null } });
});

it("writes to a file, replaces none unasked, and changes a script that is there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-generate-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "shop.ts");
  const { fetch, asked } = service(event("result", generated()));
  const first = await run(fetch, ["open the shop", "--output", "shop.ts"], folder);
  expect([first.code, readFileSync(path, "utf8")]).toEqual([0, SCRIPT]);
  writeFileSync(path, "old script");
  const again = await run(fetch, ["open the shop", "--output", "shop.ts"], folder);
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/exists already[\s\S]*--force/)]);
  await run(fetch, ["wait less", "--refine", "shop.ts", "--output", "shop.ts", "--force"], folder);
  expect(asked.at(-1)).toEqual({
    description: "Change the script: wait less",
    refinement: "wait less",
    previousScript: "old script",
  });
  expect(readFileSync(path, "utf8")).toBe(SCRIPT);
  expect((await run(fetch, ["wait less", "--refine", "none.ts"], folder)).code).toBe(1);
});

it("a script that failed ends with 1, one that was not tried with a warning", async () => {
  const failed = await run(
    service(event("result", generated({ status: "failed", problem: "no such button" }))).fetch,
    ["open the shop"],
  );
  expect([failed.code, failed.stdout]).toEqual([1, SCRIPT]);
  expect(failed.stderr).toContain("it failed when it was tried: no such button");
  const untried = await run(
    service(event("result", generated({ status: "not_run", problem: "No runner is connected." }))).fetch,
    ["open the shop"],
  );
  expect([untried.code, untried.stderr]).toEqual([
    0,
    expect.stringContaining("it was not tried: No runner is connected."),
  ]);
});

it("errors of the service are its own, whether they come before or within the stream", async () => {
  const within = await run(
    service(event("error", { error: "the model gave no answer", status: 503 })).fetch,
    ["open the shop"],
  );
  expect([within.code, within.stderr]).toEqual([1, expect.stringContaining("the model gave no answer")]);
  const limited = await run(
    (async () =>
      Response.json({ error: "used up" }, { status: 429, headers: { "retry-after": "60" } })) as typeof fetch,
    ["open the shop", "--json"],
  );
  expect(limited.code).toBe(3);
  expect(limited.json()).toMatchObject({
    ok: false,
    error: { code: "plan_limit", details: { retryAfterSeconds: 60 } },
  });
  const cut = await run(service(progress("writing")).fetch, ["open the shop"]);
  expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining("before there was a script")]);
});
