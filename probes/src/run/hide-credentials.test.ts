import { text } from "node:stream/consumers";
import { REDACTED } from "@svc/contract";
import { expect, it } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { httpServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { hideCredentials } from "./hide-credentials.ts";

const SECRET = "s3cr3t-of-the-check";
const failing = { assertions: [{ type: "status_code", value: 204 }] };

async function detailOf(config: { url: string } & Record<string, unknown>) {
  return expectResult(await runProbe(aRequest(config), aContext())).detail;
}

it("the result of a failed run shows its URL without credentials", async () => {
  const url = await httpServer((_, response) => response.end("no"));
  const detail = await detailOf({
    url: `${new URL("/x", url).href}?accessToken=${SECRET}&q=1#id_token=${SECRET}`,
    ...failing,
  });
  expect(detail?.response?.url).toBe(
    `${new URL("/x", url).href}?accessToken=${REDACTED}&q=1#id_token=${REDACTED}`,
  );
});

it("a message that quotes the next URL hides the credentials in it", async () => {
  const url = await httpServer((_, response) =>
    response.writeHead(302, { Location: "/next?clientSecret=made-by-the-target" }).end(),
  );
  const detail = await detailOf({ url, maxRedirects: 0 });
  expect(detail?.errorMessage).toContain(`/next?clientSecret=${REDACTED}`);
});

it.each<[string, Record<string, unknown>]>([
  ["a bearer token", { auth: { type: "bearer", token: SECRET } }],
  ["a password", { auth: { type: "basic", username: "somebody", password: SECRET } }],
  ["an API key", { auth: { type: "api-key", header: "X-Key", value: SECRET } }],
  ["a header's value", { headers: { "X-Own": SECRET } }],
  ["the check's own body", { method: "POST", body: `first line "quoted"\n${SECRET}` }],
  ["a named credential of the check's own body", { method: "POST", body: `{"a":{"password":"${SECRET}"}}` }],
])("%s that the target repeats is not in the result", async (_title, config) => {
  const url = await httpServer(async (request, response) => {
    const body = await text(request);
    const isJson = body.startsWith("{");
    response
      .writeHead(200, { "X-Echo": JSON.stringify(request.headers) })
      .end(
        JSON.stringify({ headers: request.headers, body: isJson ? JSON.parse(body) : body }, undefined, 2),
      );
  });
  const detail = await detailOf({ url, ...config, ...failing });
  expect(detail?.response?.body).toContain(REDACTED);
  expect(JSON.stringify(detail)).not.toContain(SECRET);
  expect(JSON.stringify(detail)).not.toContain(Buffer.from(`somebody:${SECRET}`).toString("base64"));
});

it("the body of a response is evidence: URLs in it stay as they are", async () => {
  const url = await httpServer((_, response) => response.end("https://a.example.com/?token=of-the-target"));
  const detail = await detailOf({ url, ...failing });
  expect(detail?.response?.body).toBe("https://a.example.com/?token=of-the-target");
});

it.each<[string, (size: number) => Record<string, unknown>]>([
  [
    "a header of countless words",
    (size) => ({
      headers: { Authorization: Array.from({ length: size / 8 }, (_, n) => `word-${n}`).join(" ") },
    }),
  ],
  [
    "countless named credentials",
    (size) => ({
      body: JSON.stringify(Array.from({ length: size / 32 }, (_, n) => ({ token: `token-${n}` }))),
    }),
  ],
  [
    "credentials nested without end",
    (size) => ({ body: `${'{"token":['.repeat(size / 12)}${"]}".repeat(size / 12)}` }),
  ],
  ["a body that repeats itself", (size) => ({ body: `${"a".repeat(size / 8)}b${"a".repeat(size / 8)}` })],
])("%s and a long result together take time in proportion to their length", (_title, configOf) => {
  const outcomeOf = (size: number) => {
    const body = "a".repeat(size / 2);
    const notes = Array.from({ length: size / 512 }, (_, n) => `line ${n}: ${"a".repeat(400)}`);
    return { kind: "result", status: "failure", detail: { response: { body }, notes } };
  };
  const growth = growthAtDoubleSize(
    [64 * 1024, 128 * 1024, 256 * 1024],
    (size) => ({
      config: { url: "https://a.example.com/", method: "POST", ...configOf(size) },
      outcome: outcomeOf(size),
    }),
    ({ config, outcome }) => hideCredentials({ type: "http", config: { ...config } }, outcome as never),
  );
  expect(growth).toBeLessThan(2.5);
});
