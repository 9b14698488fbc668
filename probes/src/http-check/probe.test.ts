import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectFault, expectResult } from "../../test-support/builders.ts";
import { closedPort, httpServer, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

async function run(config: { url: string } & Record<string, unknown>) {
  return expectResult(await runProbe(aRequest(config), aContext()));
}

describe("a run", () => {
  it("of a check without assertions succeeds on any response and adds no detail", async () => {
    const url = await httpServer((_, response) => response.writeHead(500).end("broken"));
    const result = await run({ url });
    expect(result).toMatchObject({ status: "success", httpStatusCode: 500 });
    expect(result.detail).toBeUndefined();
    expect(result.facts).toBeUndefined();
  });

  it("that succeeds reports the results of its assertions when it is asked to, and else no detail", async () => {
    const url = await httpServer((_, response) => response.end());
    const request = aRequest({ url, assertions: [{ type: "status_code", value: 200 }] });
    const passed = [{ type: "status_code", passed: true, expected: expect.anything(), actual: 200 }];
    const asked = expectResult(await runProbe({ ...request, keepsAssertions: true }, aContext()));
    expect(asked).toMatchObject({ status: "success", detail: { assertions: passed } });
    expect(expectResult(await runProbe(request, aContext())).detail).toBeUndefined();
  });

  it("that succeeds reports its response when it is asked to", async () => {
    const url = await httpServer((_, response) => response.setHeader("x-shop", "1").end("[1]"));
    const asked = expectResult(await runProbe({ ...aRequest({ url }), keepsResponse: true }, aContext()));
    expect(asked).toMatchObject({
      status: "success",
      detail: { response: { httpStatusCode: 200, headers: { "x-shop": "1" }, body: "[1]" } },
    });
  });

  it("measures each phase that happened and reports no others", async () => {
    const url = await httpServer((_, response) => setTimeout(() => response.end("x"), 20));
    const { phases, responseTimeUs, elapsedUs } = await run({ url });
    expect(Object.keys(phases).sort()).toEqual(["contentTransferUs", "tcpConnectUs", "ttfbUs"]);
    expect(phases.ttfbUs).toBeGreaterThanOrEqual(19_000);
    const sum = Object.values(phases).reduce((total, us) => total + us, 0);
    expect(sum).toBeLessThanOrEqual(responseTimeUs);
    expect(responseTimeUs).toBeLessThanOrEqual(elapsedUs);
    for (const us of Object.values(phases)) expect(Number.isInteger(us)).toBe(true);
  });

  it("reports the lookup of a host name as its own phase", async () => {
    const url = await httpServer((_, response) => response.end());
    const { phases } = await run({ url: url.replace("127.0.0.1", "localhost") });
    expect(phases.dnsLookupUs).toBeGreaterThan(0);
  });

  it("sends a trace context whose id is in the result", async () => {
    let seen: string | undefined;
    const url = await httpServer((request, response) => {
      seen = request.headers.traceparent as string;
      response.end();
    });
    const { traceId } = await run({ url });
    expect(seen).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(seen?.slice(3, 35)).toBe(traceId);
  });

  it("judges a body that nests deeply, and says of one that nests beyond the limit why it is not judged", async () => {
    const runNested = async (levels: number) => {
      const url = await httpServer((_, response) => response.end("[".repeat(levels) + "]".repeat(levels)));
      return run({ url, assertions: [{ type: "body_json_path", path: "$[0]", operator: "exists" }] });
    };
    expect((await runNested(9_000)).status).toBe("success");
    const beyond = await runNested(200_000);
    expect([beyond.status, beyond.detail?.errorMessage]).toEqual([
      "failure",
      expect.stringMatching(/nest|levels|deep/),
    ]);
  });

  it("whose assertion does not hold is a failure with assertions, response and message", async () => {
    const url = await httpServer((_, response) => response.writeHead(503, { "X-Why": "load" }).end("busy"));
    const result = await run({
      url,
      assertions: [
        { type: "status_code", value: 200 },
        { type: "body_contains", value: "busy" },
      ],
    });
    expect(result).toMatchObject({ status: "failure", httpStatusCode: 503 });
    expect(result.detail).toMatchObject({
      errorCategory: "assertion",
      errorMessage: "status_code: expected status 200, got 503",
      assertions: [
        { type: "status_code", passed: false, expected: 200, actual: 503 },
        { type: "body_contains", passed: true },
      ],
      response: { httpStatusCode: 503, body: "busy", bodyBytes: 4, wasTruncated: false },
    });
    expect(result.detail?.response?.headers["x-why"]).toBe("load");
  });

  it("against a port where nothing listens is an error of category connect", async () => {
    const port = await closedPort();
    const result = await run({ url: `http://127.0.0.1:${port}/` });
    expect(result.status).toBe("error");
    expect(result.httpStatusCode).toBeUndefined();
    expect(result.detail?.errorCategory).toBe("connect");
    expect(result.detail?.errorMessage).toMatch(/connection refused/);
    expect(result.phases.ttfbUs).toBeUndefined();
  });

  it("that takes too long is a timeout that names the phase", async () => {
    const host = await rawServer(() => {});
    const result = await run({ url: `http://${host}/`, timeoutMs: 100 });
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(
      /within 100 ms: the time ran out while waiting for the response/,
    );
  });

  it("that is stopped by its runner is a fault, never a result", async () => {
    const host = await rawServer(() => {});
    const controller = new AbortController();
    const running = runProbe(aRequest({ url: `http://${host}/` }), aContext({ signal: controller.signal }));
    controller.abort();
    expect(expectFault(await running).reason).toBe("draining");
    const after = await runProbe(
      aRequest({ url: `http://${host}/` }),
      aContext({ signal: controller.signal }),
    );
    expect(expectFault(after).reason).toBe("draining");
  });

  it("whose time limit passed while the runner itself stood still is a fault", async () => {
    const host = await rawServer(() => {});
    const running = runProbe(aRequest({ url: `http://${host}/`, timeoutMs: 50 }), aContext());
    const untilMs = performance.now() + 1_300;
    while (performance.now() < untilMs);
    expect(expectFault(await running).reason).toBe("capacity");
  });

  it("of a type without a probe is a fault", async () => {
    const outcome = await runProbe(aRequest({ url: "http://127.0.0.1/" }, { type: "browser" }), aContext());
    expect(expectFault(outcome).reason).toBe("unsupported");
  });
});
