import type { Check, Result } from "@svc/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
beforeEach(async () => {
  stack = await startTestStack();
});
afterEach(() => stack[Symbol.asyncDispose](), 60_000);

const FIRST_BOOT = { SVC_BOOTSTRAP_API_KEY: "", SVC_EMBEDDED_RUNNER: "true", LOG_LEVEL: "info" };

test("the first boot prints how to sign in, and its example check has results at once", async () => {
  const controlPlane = await stack.controlPlane({ dataDir: stack.folder(), environment: FIRST_BOOT });
  const link = await until(
    "the sign-in link is printed",
    () => /http:\/\/\S*\/auth\/link\?token=\S+/.exec(controlPlane.process.output())?.[0],
  );
  const page = await (await fetch(link)).text();
  expect(page).toContain("Sign in</button>");
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const pressButton = () =>
    controlPlane.fetch("/auth/link", { method: "POST", body: new URLSearchParams({ token }) });
  const signIn = await pressButton();
  const cookie = signIn.headers.getSetCookie().find((text) => text.startsWith("svc_session="));
  expect(cookie).toMatch(/HttpOnly/i);
  const session = { cookie: cookie?.split(";")[0] ?? "" };

  const { checks } = (await (await controlPlane.fetch("/api/checks", { headers: session })).json()) as {
    checks: Check[];
  };
  expect(checks).toHaveLength(1);
  const result = await until("the example check has a result", async () => {
    const answer = await controlPlane.fetch(`/api/checks/${checks[0]?.id}/results`, { headers: session });
    return ((await answer.json()) as { results: Result[] }).results[0];
  });
  expect(result).toMatchObject({ status: "success", httpStatusCode: 200, locationId: "loc_us_east" });
  expect((await pressButton()).headers.getSetCookie()).toEqual([]);
  expect((await fetch(link)).status).toBe(410);
});

test("SIGINT ends control plane, agent and database cleanly, and the next start continues", async () => {
  const dataDir = stack.folder();
  const controlPlane = await stack.controlPlane({ dataDir, environment: { SVC_EMBEDDED_RUNNER: "true" } });
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name: "own health",
    type: "http",
    frequencySeconds: 10,
    locations: ["loc_us_east", "loc_eu_central"],
    httpConfig: { url: `${stack.target.url}/` },
  });
  const resultCount = async () =>
    (await controlPlane.ok<{ results: Result[] }>("GET", `/api/checks/${check.id}/results`)).results.length;
  await until("both locations have a result", async () => (await resultCount()) >= 2);

  controlPlane.process.signal("SIGINT");
  expect(await controlPlane.process.ended).toBe(0);
  const hits = stack.target.hits.get("/");
  await controlPlane.restart();
  await until("the target is watched again", () => (stack.target.hits.get("/") ?? 0) > (hits ?? 0));
  await until("results go on", async () => (await resultCount()) > 2);
});
