/** Tests ping checks with this machine's real ping, on loopback. Where there is none, only that is tested. */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress } from "@svc/egress";
import { describe, expect, it, onTestFinished } from "vitest";
import { aContext, expectFault } from "../../test-support/builders.ts";
import { aRequestOf, runOf } from "../../test-support/run-of.ts";
import { runProbe } from "../registry.ts";
import { failureOfPing } from "./judge.ts";
import { lossPercentOf, pingSummaryIn } from "./ping-summary.ts";
import { runPing, tryPing } from "./run-ping.ts";

const whyNoPing = await tryPing();

const run = (config: Record<string, unknown>, options: Parameters<typeof runOf>[2] = {}) =>
  runOf("ping", { host: "127.0.0.1", count: 2, timeoutMs: 5_000, ...config }, options);

/** Returns a context whose names have these addresses. */
function resolving(addresses: { address: string; family: 4 | 6 }[], allowPrivate = true) {
  return { egress: createEgress({ allowPrivate, resolve: async () => addresses }) };
}

/** Returns an environment in which `ping` is another program. @param program absent: there is none */
function environmentWith(program?: string): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), "svc-ping-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (program !== undefined) symlinkSync(program, join(folder, "ping"));
  return { PATH: folder };
}

describe.skipIf(whyNoPing !== undefined)("a ping run", () => {
  it("that is answered is a success, and its response time is the average round trip", async () => {
    const result = await run({});
    expect(result.status).toBe("success");
    expect(Object.keys(result.phases)).toEqual(["ttfbUs"]);
    expect(result.detail?.pingJson).toMatchObject({
      address: "127.0.0.1",
      transmitted: 2,
      received: 2,
      lossPercent: 0,
    });
    const { min, avg, max } = result.detail?.pingJson?.roundTripMs ?? { min: 0, avg: 0, max: 0 };
    expect(min).toBeLessThanOrEqual(avg);
    expect(avg).toBeLessThanOrEqual(max);
    expect(result.phases.ttfbUs).toBe(Math.round(avg * 1000));
    // The two packets are 200 ms apart.
    expect(result.elapsedUs).toBeGreaterThan(190_000);
    expect(result.elapsedUs).toBeGreaterThan(result.responseTimeUs);
  });

  it("has no detail unless it is kept", async () => {
    const { status, detail } = await run({ count: 1 }, { request: { keepsAssertions: false } });
    expect([status, detail]).toEqual(["success", undefined]);
  });

  it("hands ping the address that was judged, not the name", async () => {
    const context = resolving([{ address: "127.0.0.1", family: 4 }]);
    const result = await run({ host: "no-such-name.invalid", count: 1 }, { context });
    expect(result).toMatchObject({ status: "success", detail: { pingJson: { address: "127.0.0.1" } } });
    expect(result.phases.dnsLookupUs).toBeGreaterThan(0);
  });

  it("fails by the longest round trip that is allowed, and by its assertions", async () => {
    const slow = await run({ count: 1, maxRoundTripMs: 0.0001 });
    expect(slow).toMatchObject({ status: "failure", detail: { errorCategory: "assertion" } });
    expect(slow.detail?.errorMessage).toMatch(
      /longest round trip to 127.0.0.1 took .* ms, at most 0.0001 ms/,
    );
    const judged = await run({ count: 1, assertions: [{ type: "response_time", max: 1_000 }] });
    expect(judged).toMatchObject({
      status: "success",
      detail: { assertions: [{ type: "response_time", passed: true }] },
    });
  });

  it("that is stopped by its runner is a fault, and its process ends at once", async () => {
    const controller = new AbortController();
    const request = aRequestOf("ping", { host: "127.0.0.1", count: 20 });
    const running = runProbe(request, aContext({ signal: controller.signal }));
    setTimeout(() => controller.abort(), 100);
    expect(expectFault(await running).reason).toBe("draining");
  });

  it("may not reach a private address where that is denied", async () => {
    for (const [host, context] of [
      ["127.0.0.1", { allowPrivateAddresses: false }],
      ["localhost", { allowPrivateAddresses: false }],
      ["::1", { allowPrivateAddresses: false }],
      [
        "mixed.example",
        resolving(
          [
            { address: "192.0.2.1", family: 4 },
            { address: "10.0.0.1", family: 4 },
          ],
          false,
        ),
      ],
      ["metadata.example", resolving([{ address: "169.254.169.254", family: 4 }])],
    ] as const) {
      const result = await run({ host }, { context });
      expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
      expect(result.detail?.errorMessage).toMatch(/is not allowed/);
      expect(result.detail?.pingJson).toBeUndefined();
    }
  });

  it("never hands ping anything but an address", async () => {
    for (const address of ["-f", "localhost", "127.0.0.1 -f", ""])
      await expect(
        runPing({ address: { address, family: 4 }, count: 1, waitMs: 100 }, new AbortController().signal),
      ).rejects.toThrow(/is no address of IPv4/);
  });
});

describe("trying ping out", () => {
  it("finds where there is none, and where it does not work", async () => {
    expect(await tryPing(environmentWith())).toBe("there is no ping; install iputils-ping");
    expect(await tryPing(environmentWith("/bin/false"))).toMatch(
      /does not reach this machine itself; it needs/,
    );
    expect(await tryPing(environmentWith("/bin/true"))).toMatch(
      /does not reach this machine itself; it needs/,
    );
  });
});

describe("the summary of ping", () => {
  it.each([
    [
      "iputils, all answered",
      "PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.\n\n--- 127.0.0.1 ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 424ms\nrtt min/avg/max/mdev = 0.040/0.066/0.116/0.035 ms\n",
      { transmitted: 3, received: 3, errors: 0, roundTripMs: { min: 0.04, avg: 0.066, max: 0.116 } },
      0,
    ],
    [
      "iputils, some lost",
      "--- a ping statistics ---\n7 packets transmitted, 5 received, 28.5714% packet loss, time 1230ms\nrtt min/avg/max/mdev = 10.100/2011.700/9999.100/1.2 ms, pipe 4\n",
      { transmitted: 7, received: 5, errors: 0, roundTripMs: { min: 10.1, avg: 2011.7, max: 9999.1 } },
      28.6,
    ],
    [
      "iputils, undeliverable",
      "--- 10.0.0.9 ping statistics ---\n4 packets transmitted, 0 received, +4 errors, 100% packet loss, time 612ms\npipe 4\n",
      { transmitted: 4, received: 0, errors: 4 },
      100,
    ],
    [
      "iputils, duplicates",
      "2 packets transmitted, 2 received, +3 duplicates, 0% packet loss, time 3ms\nrtt min/avg/max/mdev = 1/2/3/0 ms\n",
      { transmitted: 2, received: 2, errors: 0, roundTripMs: { min: 1, avg: 2, max: 3 } },
      0,
    ],
    [
      "BusyBox",
      "--- 127.0.0.1 ping statistics ---\n1 packets transmitted, 1 packets received, 0% packet loss\nround-trip min/avg/max = 0.047/0.047/0.047 ms\n",
      { transmitted: 1, received: 1, errors: 0, roundTripMs: { min: 0.047, avg: 0.047, max: 0.047 } },
      0,
    ],
    [
      "ended before it sent",
      "0 packets transmitted, 0 received, time 0ms\n",
      { transmitted: 0, received: 0, errors: 0 },
      100,
    ],
  ])("of %s is read", (_name, output, summary, lossPercent) => {
    const read = pingSummaryIn(output);
    expect(read).toEqual(summary);
    expect(read && lossPercentOf(read)).toBe(lossPercent);
  });

  it.each([
    "",
    "ping: socket: Operation not permitted\n",
    "PING x\n".repeat(9_000),
    "packets transmitted, received",
  ])("is absent from other output (%#)", (output) => expect(pingSummaryIn(output)).toBeUndefined());
});

describe("the judgement", () => {
  const roundTripMs = { min: 10, avg: 20, max: 30 };
  it.each([
    ["all answered", { transmitted: 4, received: 4, errors: 0, roundTripMs }, {}, undefined, undefined],
    [
      "one of four answered",
      { transmitted: 4, received: 1, errors: 3, roundTripMs },
      {},
      undefined,
      undefined,
    ],
    [
      "exactly the loss",
      { transmitted: 4, received: 3, errors: 0, roundTripMs },
      { maxLossPercent: 25 },
      undefined,
      undefined,
    ],
    [
      "more loss",
      { transmitted: 4, received: 3, errors: 0, roundTripMs },
      { maxLossPercent: 24.9 },
      "failure",
      /25 % were lost/,
    ],
    [
      "exactly the time",
      { transmitted: 1, received: 1, errors: 0, roundTripMs },
      { maxRoundTripMs: 30 },
      undefined,
      undefined,
    ],
    [
      "more time",
      { transmitted: 1, received: 1, errors: 0, roundTripMs },
      { maxRoundTripMs: 29 },
      "failure",
      /took 30 ms/,
    ],
    [
      "none answered",
      { transmitted: 1, received: 0, errors: 0 },
      {},
      "timeout",
      /answered none of 1 packet$/,
    ],
    [
      "undeliverable",
      { transmitted: 4, received: 0, errors: 4 },
      { maxLossPercent: 0 },
      "error",
      /can't be reached/,
    ],
  ])("of %s", (_name, summary, limits, status, message) => {
    const failure = failureOfPing(
      summary,
      { maxLossPercent: undefined, maxRoundTripMs: undefined, ...limits },
      "a.example (192.0.2.1)",
    );
    expect(failure?.status).toBe(status);
    if (message) expect(failure?.message).toMatch(message);
  });
});
