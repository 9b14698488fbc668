import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { aContext } from "../../test-support/builders.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { httpServer, rawServer } from "../../test-support/servers.ts";
import { runOnce, runProbe } from "../registry.ts";

const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzaG9wIn0.c2lnbmF0dXJl";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Starts a server that notes each request. */
async function aShop(answer: (request: Seen, response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const url = await httpServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
    seen.push(one);
    answer(one, response);
  });
  return { url, seen };
}

const run = (config: Record<string, unknown>, request = {}) => runOf("multistep", config, { request });
const names = (requests: readonly { name: string; status: string }[] | undefined) =>
  requests?.map(({ name, status }) => `${name}: ${status}`);

describe("a run of several steps", () => {
  it("passes values, cookies and one trace on, hides credentials, and reports each step", async () => {
    const shop = await aShop(({ url }, response) => {
      if (url === "/login")
        response
          .setHeader("Set-Cookie", "sid=abc; Path=/")
          .setHeader("Location", "/users/42")
          .end(JSON.stringify({ access: { token: TOKEN }, id: 7 }));
      else response.end(`order 99 of ${TOKEN}`);
    });
    const result = await run({
      steps: [
        {
          name: "Log in",
          url: `${shop.url}/login`,
          method: "POST",
          body: "{}",
          assertions: [{ type: "status_code", value: 200 }],
          extract: [
            { name: "bearer", from: "json_path", path: "$.access.token" },
            { name: "id", from: "json_path", path: "id" },
            { name: "buyer", from: "header", header: "location", pattern: "/users/(\\d+)", group: 1 },
            { name: "code", from: "status" },
          ],
        },
        {
          name: "Order",
          url: `${shop.url}/users/{{values.buyer}}/orders?of={{ values.id }}&code={{values.code}}`,
          method: "POST",
          headers: { "Content-Type": "application/json", "X-Of": "u-{{values.buyer}}" },
          body: '{"of":"{{values.buyer}}"}',
          auth: { type: "bearer", token: "{{values.bearer}}" },
          assertions: [
            { type: "body_contains", value: "order" },
            { type: "body_contains", value: "missing" },
          ],
          extract: [{ name: "order", from: "regex", pattern: "order (\\d+)", group: 1 }],
        },
        { name: "Look", url: `${shop.url}/orders/{{values.order}}` },
      ],
    });
    const [login, order] = shop.seen;
    expect(order).toMatchObject({
      method: "POST",
      url: "/users/42/orders?of=7&code=200",
      body: '{"of":"42"}',
    });
    expect(order?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      cookie: "sid=abc",
      "x-of": "u-42",
      traceparent: login?.headers.traceparent,
    });
    expect(shop.seen).toHaveLength(2);
    expect(result).toMatchObject({ status: "failure", httpStatusCode: 200 });
    const { detail } = result;
    expect(detail?.errorMessage).toMatch(/^step "Order": body_contains: /);
    expect(detail?.steps?.map(({ name, status }) => [name, status])).toEqual([
      ["Log in", "success"],
      ["Order", "failure"],
    ]);
    expect(names(detail?.stepRequestsJson)).toEqual(["Log in: success", "Order: failure", "Look: skipped"]);
    expect(detail?.stepRequestsJson?.[0]?.values).toEqual([
      { name: "bearer", value: "***REDACTED***", isMasked: true },
      { name: "id", value: "7", isMasked: false },
      { name: "buyer", value: "42", isMasked: false },
      { name: "code", value: "200", isMasked: false },
    ]);
    expect(detail?.assertions).toHaveLength(3);
    expect(detail?.response?.body).toBe("order 99 of ***REDACTED***");
    expect(JSON.stringify(result)).not.toContain(TOKEN);
    const sum = detail?.steps?.reduce((total, { durationMs }) => total + durationMs, 0) ?? 0;
    expect(result.responseTimeUs).toBe(Math.round(sum * 1000));
  });

  it("that succeeds lists its steps, and their requests where its assertions are kept", async () => {
    const shop = await aShop((_, response) => response.end("x"));
    const config = {
      steps: [
        { name: "A", url: shop.url },
        { name: "B", url: shop.url },
      ],
    };
    const plain = await run(config, { keepsAssertions: false });
    expect(plain).toMatchObject({ status: "success", detail: { steps: [{ name: "A" }, { name: "B" }] } });
    expect(plain.detail?.stepRequestsJson).toBeUndefined();
    expect((await run(config)).detail?.stepRequestsJson?.[1]).toMatchObject({
      status: "success",
      httpStatusCode: 200,
      timing: { ttfbMs: expect.any(Number), totalMs: expect.any(Number) },
    });
  });

  it("begins anew when it is tried again, without the cookies of the attempt before", async () => {
    let calls = 0;
    const shop = await aShop((_, response) =>
      response
        .setHeader("Set-Cookie", "a=1; Path=/")
        .writeHead(++calls === 1 ? 500 : 200)
        .end(),
    );
    const result = await run(
      { steps: [{ name: "A", url: shop.url, assertions: [{ type: "status_code", value: 200 }] }] },
      {
        retry: {
          strategy: "fixed",
          maxRetries: 1,
          baseBackoffSeconds: 0,
          maxDurationSeconds: 60,
          sameLocation: true,
        },
      },
    );
    expect(result).toMatchObject({ status: "success", detail: { recoveredOnRetry: true } });
    expect(shop.seen.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  it("on a person's machine says how it went", async () => {
    const shop = await aShop((_, response) => response.end("x"));
    const { config } = aRequestOf("multistep", {
      steps: [{ name: "A", url: shop.url, extract: [{ name: "n", from: "regex", pattern: "y" }] }],
    });
    expect(await runOnce({ type: "multistep", config }, aContext())).toMatchObject({
      status: "failure",
      httpStatusCode: 200,
      errorMessage: 'step "A": value n: the body does not match the pattern y',
    });
  });
});

describe("a value that can't be extracted fails its step", () => {
  it.each([
    ["nothing is there", { from: "json_path", path: "a.c" }, '{"a":{"b":1}}', /nothing is at a\.c/],
    ["an object", { from: "json_path", path: "a" }, '{"a":{"b":1}}', /a is an object; a value is a text/],
    ["null", { from: "json_path", path: "a" }, '{"a":null}', /a is null/],
    ["no JSON", { from: "json_path", path: "a" }, "<html>", /the body is not JSON/],
    ["no header", { from: "header", header: "X-None" }, "", /no header X-None/],
    ["an invalid pattern", { from: "regex", pattern: "({{vault.A}}" }, "x", /invalid pattern/],
    ["a group without a match", { from: "regex", pattern: "(a)|b", group: 1 }, "b", /with its group 1/],
    ["an empty text", { from: "json_path", path: "a" }, '{"a":""}', /it is empty/],
    [
      "a long text",
      { from: "json_path", path: "a" },
      JSON.stringify({ a: "x".repeat(9_000) }),
      /longer than 8192/,
    ],
    [
      "a pattern that never ends",
      { from: "regex", pattern: "(a+)+$" },
      `${"a".repeat(40)}!`,
      /did not finish/,
    ],
  ])("%s", async (_, extract, body, message) => {
    const shop = await aShop((_request, response) => response.end(body));
    const result = await run({
      steps: [
        { name: "A", url: shop.url, extract: [{ name: "v", ...extract }] },
        { name: "B", url: `${shop.url}/{{values.v}}` },
      ],
    });
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(result.detail?.errorMessage).toMatch(/^step "A": value v: /);
    expect(result.detail?.errorMessage).toMatch(message);
    expect(names(result.detail?.stepRequestsJson)).toEqual(["A: failure", "B: skipped"]);
    expect(shop.seen).toHaveLength(1);
  });

  it("also from a huge JSON text, of which the values are found in a thread", async () => {
    const body = JSON.stringify({ pad: "x".repeat(2_000_000), token: "tok-123456", list: [1] });
    const shop = await aShop((_, response) => response.end(body));
    const extract = [
      { name: "t", from: "json_path", path: "token" },
      { name: "l", from: "json_path", path: "list[0]" },
    ];
    const steps = [
      {
        name: "A",
        url: shop.url,
        extract,
        assertions: [{ type: "body_json_path", path: "list[0]", value: 1 }],
      },
      {
        name: "B",
        url: `${shop.url}/{{values.t}}/{{values.l}}`,
        assertions: [{ type: "body_contains", value: "tok" }],
      },
    ];
    expect((await run({ steps })).status).toBe("success");
    expect(shop.seen[1]?.url).toBe("/tok-123456/1");
    const failing = await run({
      steps: [{ ...steps[0], extract: [{ name: "l", from: "json_path", path: "list" }] }],
    });
    expect(failing.detail?.errorMessage).toMatch(/list is an array/);
  });
});

describe("a hostile value", () => {
  /** Runs a second request with the value in a place. */
  const withValue = async (value: string, step: (url: string) => Record<string, unknown>) => {
    const shop = await aShop(({ url }, response) =>
      response.end(url === "/first" ? JSON.stringify({ v: value }) : "ok"),
    );
    const result = await run({
      steps: [
        { name: "A", url: `${shop.url}/first`, extract: [{ name: "v", from: "json_path", path: "v" }] },
        { name: "B", ...step(shop.url) },
      ],
    });
    return { result, second: shop.seen[1] };
  };

  it.each([
    ["//evil.example/", "/x/%2F%2Fevil.example%2F"],
    ["@evil.example", "/x/%40evil.example"],
    ["a?b#c&d=e", "/x/a%3Fb%23c%26d%3De"],
    ["{{values.v}}", "/x/%7B%7Bvalues.v%7D%7D"],
    ["\ud800 \r\n", "/x/%EF%BF%BD%20%0D%0A"],
  ])("stays one segment of a path: %j", async (value, path) => {
    const { second } = await withValue(value, (url) => ({ url: `${url}/x/{{values.v}}` }));
    expect(second?.url).toBe(path);
  });

  it.each([".", ".."])("is refused as a segment that would change the path: %s", async (value) => {
    const { result, second } = await withValue(value, (url) => ({ url: `${url}/x/{{values.v}}/y` }));
    expect(second).toBeUndefined();
    expect(result.detail?.errorMessage).toMatch(/^step "B": .*change its path/);
  });

  it.each([
    ["headers", { headers: { "X-Of": "a {{values.v}}" } }],
    ["a bearer token", { auth: { type: "bearer", token: "{{values.v}}" } }],
    ["an API key", { auth: { type: "api-key", header: "X-Key", value: "{{values.v}}" } }],
  ])("injects no header by %s", async (_, fields) => {
    const { result, second } = await withValue("a\r\nX-Evil: 1", (url) => ({ url, ...fields }));
    expect(second).toBeUndefined();
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/no header can have/);
    expect(names(result.detail?.stepRequestsJson)).toEqual(["A: success", "B: failure"]);
  });

  it("ends no text in JSON, and no field of a form", async () => {
    const body = (type: string, text: string) => (url: string) => ({
      url,
      method: "POST",
      headers: { "content-type": type },
      body: text,
    });
    const value = '","admin":"1&x=2';
    const json = await withValue(value, body("application/json", '{"a":"{{values.v}}"}'));
    expect(JSON.parse(json.second?.body ?? "")).toEqual({ a: value });
    const form = await withValue(value, body("application/x-www-form-urlencoded", "a={{values.v}}"));
    expect(new URLSearchParams(form.second?.body).get("a")).toBe(value);
  });

  it("that is a word of the result changes none of its own words", async () => {
    const shop = await aShop((_, response) => response.end('{"v":"failure"}'));
    const result = await run({
      steps: [
        {
          name: "failure",
          url: shop.url,
          assertions: [{ type: "status_code", value: 200 }],
          extract: [{ name: "v", from: "json_path", path: "v", secret: true }],
        },
        { name: "B", url: shop.url, assertions: [{ type: "status_code", value: 500 }] },
      ],
    });
    expect(result.status).toBe("failure");
    expect(names(result.detail?.stepRequestsJson)).toEqual(["failure: success", "B: failure"]);
    expect(result.detail?.response?.body).toBe('{"v":"***REDACTED***"}');
  });

  it("put in many times is refused before it takes memory", async () => {
    const { result, second } = await withValue("x".repeat(8_000), (url) => ({
      url,
      method: "POST",
      body: "{{values.v}}".repeat(1_000),
    }));
    expect(second).toBeUndefined();
    expect(result.detail?.errorMessage).toMatch(/more than 1048576 characters together/);
  });
});

describe("a hostile or slow server", () => {
  it("takes no longer than the run's time, whichever step it delays", async () => {
    const shop = await aShop(({ url }, response) => {
      if (url !== "/slow") response.end();
    });
    const result = await run({
      timeoutMs: 300,
      steps: [
        { name: "A", url: shop.url },
        { name: "B", url: `${shop.url}/slow` },
        { name: "C", url: shop.url },
      ],
    });
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(/^step "B": .*all steps together may take 300 ms$/);
    expect(names(result.detail?.stepRequestsJson)).toEqual(["A: success", "B: timeout", "C: skipped"]);
  });

  it("is not followed to an address that the egress policy denies", async () => {
    const shop = await aShop((_, response) =>
      response.writeHead(302, { Location: "http://169.254.169.254/latest/meta-data" }).end(),
    );
    const result = await run({ steps: [{ name: "A", url: shop.url }] });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/^step "A": .*169\.254\.169\.254/);
  });

  it("that closes the connection is an error of its step", async () => {
    const host = await rawServer((socket) => socket.destroy());
    const result = await run({ steps: [{ name: "A", url: `http://${host}/` }] });
    expect(result.status).toBe("error");
    expect(result.detail?.steps).toMatchObject([{ name: "A", status: "error" }]);
  });

  it("gets the details of its steps within what is stored", async () => {
    const shop = await aShop((_, response) => response.end("\u0001".repeat(70_000)));
    const step = (at: number) => ({
      name: `${at}${"\u0001".repeat(100)}`,
      url: `${shop.url}/${"x".repeat(4_000)}`,
      assertions: [1, 2, 3, 4, 5].map(() => ({ type: "body_contains", value: "\u0001".repeat(150) })),
    });
    const steps = Array.from({ length: 20 }, (_, at) => step(at));
    const last = { ...steps[19], assertions: [{ type: "status_code", value: 500 }] };
    const result = await run({ steps: [...steps.slice(0, 19), last] });
    expect(result.status).toBe("failure");
    expect(JSON.stringify(result.detail).length).toBeLessThanOrEqual(240 * 1024);
    expect(result.detail?.stepRequestsJson).toHaveLength(20);
  });

  it("ends with its runner, as a fault", async () => {
    const host = await rawServer(() => {});
    const controller = new AbortController();
    const request = aRequestOf("multistep", { steps: [{ name: "A", url: `http://${host}/` }] });
    const running = runProbe(request, aContext({ signal: controller.signal }));
    controller.abort();
    expect(await running).toMatchObject({ kind: "fault", reason: "draining" });
  });
});
