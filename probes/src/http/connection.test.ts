/** Tests the outcome of a run whose target can't be reached, or must not be. */
import net from "node:net";
import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectFault, expectResult } from "../../test-support/builders.ts";
import { httpServer, listening } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import type { ProbeContext } from "../run/probe.ts";

async function run(config: { url: string } & Record<string, unknown>, context: Partial<ProbeContext> = {}) {
  return expectResult(await runProbe(aRequest(config), aContext(context)));
}

describe("the way to the target", () => {
  it("that the policy denies is an error, and nothing is dialled", async () => {
    const dialled: string[] = [];
    const egress = createEgress({
      allowPrivate: false,
      resolve: async () => [{ address: "10.0.0.1", family: 4 }],
      connect: ({ host }) => {
        dialled.push(host);
        return new net.Socket();
      },
    });
    for (const url of [
      "http://127.0.0.1/",
      "http://0x7f.1/",
      "http://localhost/",
      "http://rebind.example/",
    ]) {
      const result = await run({ url }, { egress });
      expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
      expect(result.detail?.errorMessage).toMatch(/is not allowed: .*SVC_EGRESS_PRIVATE=allow/);
    }
    expect(dialled).toEqual([]);
  });

  it("is denied when a name turns to a private address between two redirects", async () => {
    const port = Number(
      new URL(await httpServer((_, response) => response.writeHead(302, { Location: "/" }).end())).port,
    );
    const answers = ["93.184.215.14", "93.184.215.14", "127.0.0.1"];
    const dialled: string[] = [];
    const egress = createEgress({
      allowPrivate: false,
      resolve: async () => [{ address: answers[dialled.length] as string, family: 4 }],
      connect: ({ host }) => {
        dialled.push(host);
        // The local server stands for the public one.
        return Object.defineProperty(net.connect(port, "127.0.0.1"), "remoteAddress", { value: host });
      },
    });
    const result = await run({ url: "http://rebind.example/" }, { egress });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/rebind\.example is not allowed: a loopback address/);
    expect(dialled).toEqual(["93.184.215.14", "93.184.215.14"]);
  });

  it("is denied by the context's flag alone", async () => {
    const result = await run({ url: "http://127.0.0.1:1/" }, { allowPrivateAddresses: false });
    expect(result.detail?.errorMessage).toMatch(/127\.0\.0\.1 is not allowed: a loopback address/);
  });

  it("whose name does not exist is an error of category dns", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const result = await run(
      { url: "http://no.example/" },
      { egress: createEgress({ allowPrivate: true, resolve }) },
    );
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "dns" } });
    expect(result.detail?.errorMessage).toBe("no.example has no address in DNS (ENOTFOUND)");
    expect(Object.keys(result.phases)).toEqual(["dnsLookupUs"]);
  });

  it.each([
    ["unreachable", "network"],
    ["saturated", "capacity"],
  ] as const)("can't be judged while the runner's resolver is %s", async (health, reason) => {
    const failing = () => Promise.reject(Object.assign(new Error("again"), { code: "EAI_AGAIN" }));
    const hanging = () => new Promise<never>(() => {});
    for (const resolve of [failing, hanging]) {
      const egress = createEgress({ allowPrivate: true, resolve, resolverHealth: async () => health });
      const outcome = await runProbe(
        aRequest({ url: "http://a.example/", timeoutMs: 50 }),
        aContext({ egress }),
      );
      expect(expectFault(outcome).reason).toBe(reason);
    }
  });

  it("that hangs in the lookup is a timeout when the resolver is fine", async () => {
    const egress = createEgress({ allowPrivate: true, resolve: () => new Promise<never>(() => {}) });
    const result = await run({ url: "http://a.example/", timeoutMs: 50 }, { egress });
    expect(result.detail?.errorMessage).toMatch(/looking up the host name/);
  });

  it("that hangs in connecting is a timeout that says so", async () => {
    const egress = createEgress({ allowPrivate: true, connect: () => new net.Socket() });
    const result = await run({ url: "http://192.168.0.1/", timeoutMs: 50 }, { egress });
    expect(result).toMatchObject({ status: "timeout" });
    expect(result.detail?.errorMessage).toMatch(/the time ran out while connecting/);
  });

  it.each([
    [["EMFILE"], "capacity"],
    [["EADDRNOTAVAIL", "ENOBUFS"], "capacity"],
    [["ENETUNREACH", "ENETUNREACH"], "network"],
    [["ENETDOWN"], "network"],
    [["ECONNREFUSED"], undefined],
    [["EHOSTUNREACH"], undefined],
    [["ENETUNREACH", "ECONNREFUSED"], undefined],
  ])("that fails by %s is the runner's fault: %s", async (codes, reason) => {
    const left = [...codes];
    const egress = createEgress({
      allowPrivate: true,
      resolve: async () => codes.map((_, index) => ({ address: `192.168.0.${index + 1}`, family: 4 })),
      connect: () => {
        const code = left.shift();
        const socket = new net.Socket();
        process.nextTick(() => socket.destroy(Object.assign(new Error("no"), { code })));
        return socket;
      },
    });
    const outcome = await runProbe(aRequest({ url: "http://a.example/" }), aContext({ egress }));
    if (reason) expect(expectFault(outcome).reason).toBe(reason);
    else expect(expectResult(outcome).detail?.errorCategory).toBe("connect");
  });

  it("leads over IPv6 as well", async () => {
    const server = net.createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    const port = await listening(server, "::1").catch(() => undefined);
    if (port === undefined) return; // this machine has no IPv6
    expect((await run({ url: `http://[::1]:${port}/` })).status).toBe("success");
  });
});
