import type http from "node:http";
import { PERSONA_IDS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { httpServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { PERSONAS } from "./catalogue.ts";
import { type Answer, divergenceOf } from "./divergence.ts";

async function run(
  handle: http.RequestListener,
  config: Record<string, unknown> = {},
  personas: Record<string, unknown> = {},
) {
  const url = await httpServer(handle);
  const agentPersonas = { enabled: true, personas: ["vendor1-bot", "vendor2-user"], ...personas };
  const result = expectResult(await runProbe(aRequest({ url, agentPersonas, ...config }), aContext()));
  return { result, parity: result.detail?.agentPersonaParityJson };
}
const isBot = ({ headers }: http.IncomingMessage) => headers["user-agent"]?.includes("GPTBot");

describe("personas", () => {
  it("every persona of the contract has a user agent of its own that names it", () => {
    expect(Object.keys(PERSONAS).sort()).toEqual([...PERSONA_IDS].sort());
    const agents = Object.values(PERSONAS).map(({ robotsToken, userAgent }) => {
      expect(userAgent).toContain(`compatible; ${robotsToken}/`);
      return userAgent;
    });
    expect(new Set(agents).size).toBe(8);
  });

  it("that are served alike leave a success with their report", async () => {
    const agents: unknown[] = [];
    const { result, parity } = await run(
      (request, response) => {
        agents.push(request.headers["user-agent"], request.headers.authorization);
        response.setHeader("Content-Type", "text/plain").end("hello");
      },
      { headers: { "user-agent": "own" }, auth: { type: "bearer", token: "t" } },
    );
    expect(result.status).toBe("success");
    expect(parity).toMatchObject({ baselineBodyBytes: 5, baselineContentType: "text/plain" });
    expect(parity?.results).toEqual([
      {
        persona: "vendor1-bot",
        status: "success",
        httpStatusCode: 200,
        responseTimeMs: expect.any(Number),
        startedAt: expect.stringMatching(/Z$/),
        bodyBytes: 5,
        contentType: "text/plain",
      },
      expect.objectContaining({ persona: "vendor2-user" }),
    ]);
    expect(agents).toHaveLength(6);
    expect(agents).toEqual(expect.arrayContaining(["own", PERSONAS["vendor1-bot"].userAgent, "Bearer t"]));
  });

  it("that are blocked diverge, and fail the run only when asked to", async () => {
    const handle: http.RequestListener = (request, response) =>
      response.writeHead(isBot(request) ? 403 : 200).end();
    const { result, parity } = await run(handle);
    expect(result.status).toBe("success");
    expect(parity?.results[0]).toMatchObject({
      httpStatusCode: 403,
      divergence: "blocked",
      divergenceReason: "answered 403, the check itself got 200",
    });
    expect(parity?.results[1]).not.toHaveProperty("divergence");
    const strict = await run(handle, {}, { failOnDivergence: true });
    expect(strict.result).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(strict.result.detail?.errorMessage).toBe(
      "persona vendor1-bot diverges, blocked: answered 403, the check itself got 200",
    );
  });

  it("that get a challenge, another content or no answer diverge accordingly", async () => {
    const challenge = await run((request, response) =>
      isBot(request)
        ? response.writeHead(403, { "cf-mitigated": "challenge" }).end()
        : response.end("content"),
    );
    expect(challenge.parity?.results[0]).toMatchObject({ divergence: "challenged" });
    const content = await run((request, response) => response.end(isBot(request) ? "go away" : "content"), {
      assertions: [{ type: "body_contains", value: "content" }],
    });
    expect(content.parity?.results[0]).toMatchObject({ status: "failure", divergence: "assertion_failed" });
    const silence = await run((request, response) =>
      isBot(request) ? request.socket.destroy() : response.end(),
    );
    expect(silence.parity?.results[0]).toMatchObject({
      status: "error",
      httpStatusCode: null,
      divergence: "error",
    });
  });

  it("are part of the sampled runs only, of checks that enable them", async () => {
    const url = await httpServer((_, response) => response.end());
    const detail = async (slotMs: number, enabled: boolean) => {
      const agentPersonas = { enabled, personas: ["vendor3-bot"], every: 2 };
      return expectResult(await runProbe(aRequest({ url, agentPersonas }, { slotMs }), aContext())).detail;
    };
    expect(await detail(2 * 60_000, true)).toHaveProperty("agentPersonaParityJson");
    expect(await detail(3 * 60_000, true)).toBeUndefined();
    expect(await detail(2 * 60_000, false)).toBeUndefined();
  });
});

describe("divergenceOf", () => {
  const answer = (facts: Partial<Answer> = {}): Answer => ({
    status: "success",
    errorMessage: undefined,
    httpStatusCode: 200,
    challenge: undefined,
    assertions: [],
    ...facts,
  });
  const assertion = (passed: boolean) => ({
    type: "body_contains",
    passed,
    expected: "x",
    actual: "y",
    message: "no",
  });
  it.each<[string, Partial<Answer>, Partial<Answer>, string | undefined]>([
    ["alike", {}, {}, undefined],
    ["both forbidden", { httpStatusCode: 403 }, { httpStatusCode: 401 }, undefined],
    ["payment required", {}, { httpStatusCode: 402 }, "blocked"],
    ["too many requests", {}, { httpStatusCode: 429 }, "blocked"],
    ["hidden", {}, { httpStatusCode: 404 }, "blocked"],
    ["overloaded for it alone", {}, { httpStatusCode: 503 }, "blocked"],
    ["broken for it alone", {}, { httpStatusCode: 500 }, "error"],
    ["broken for both", { httpStatusCode: 500 }, { httpStatusCode: 502 }, undefined],
    ["better served than the check", { httpStatusCode: 403 }, { httpStatusCode: 200 }, undefined],
    ["timeout", {}, { status: "timeout", httpStatusCode: undefined }, "error"],
    ["body broke off", {}, { status: "error" }, "error"],
    ["challenged with 200", {}, { challenge: "mark" }, "challenged"],
    ["both challenged", { challenge: "mark" }, { challenge: "mark" }, undefined],
    [
      "assertion failed",
      { assertions: [assertion(true)] },
      { status: "failure", assertions: [assertion(false)] },
      "assertion_failed",
    ],
    [
      "assertion failed for both",
      { assertions: [assertion(false)] },
      { status: "failure", assertions: [assertion(false)] },
      undefined,
    ],
    [
      "too many redirects",
      {},
      { status: "failure", httpStatusCode: 302, errorMessage: "more than 5 redirects" },
      "error",
    ],
  ])("%s", (_, baseline, persona, divergence) => {
    expect(divergenceOf(answer(baseline), answer(persona))?.divergence).toBe(divergence);
  });
});
