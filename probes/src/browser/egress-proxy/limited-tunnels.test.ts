import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { createEgress } from "@svc/egress";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { anAuthority } from "../../../test-support/certificates.ts";
import type { TrafficLimits } from "../../run/traffic-limits.ts";
import { EgressProxy } from "./proxy.ts";
import { RunTraffic } from "./run-traffic.ts";

let authority: Awaited<ReturnType<typeof anAuthority>>;
beforeAll(async () => {
  authority = await anAuthority();
});

/** A target that counts what reaches it, over TLS or not. */
async function target(isSecure = true) {
  const reached: string[] = [];
  const handle: http.RequestListener = (request, response) => {
    reached.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end(`answer to ${request.method}`));
  };
  const server = isSecure ? https.createServer(await authority.issue(), handle) : http.createServer(handle);
  server.on("upgrade", (request, socket) => {
    reached.push(`upgrade ${request.url}`);
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\nhello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { reached, host, origin: `${isSecure ? "https" : "http"}://${host}` };
}

/** A proxy for a run with these limits; sends raw bytes through it and returns all that comes back. */
async function proxyWith(limits: TrafficLimits, caCertificates = [authority.certificate]) {
  const folder = mkdtempSync(join(tmpdir(), "svc-proxy-"));
  const path = join(folder, "0");
  const proxy = await EgressProxy.listen(path);
  const traffic = new RunTraffic(createEgress({ allowPrivate: true }), { limits, caCertificates });
  proxy.open(traffic);
  onTestFinished(() => {
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const tunnel = async (host: string) => {
    const socket = net.connect(path);
    socket.write(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    return socket;
  };
  const answerOf = (socket: net.Socket, text: string) =>
    new Promise<string>((resolve) => {
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk;
      });
      socket.on("error", () => resolve(answer));
      socket.on("close", () => resolve(answer));
      socket.write(text);
    });
  return {
    traffic,
    plain: async (text: string) => answerOf(net.connect(path), text),
    within: async (host: string, text: string) => answerOf(await tunnel(host), text),
    secured: async (host: string, text: string) => {
      const socket = tls.connect({ socket: await tunnel(host), rejectUnauthorized: false });
      return answerOf(socket, text);
    },
  };
}

const request = (method: string, host: string, more = "") =>
  `${method} /path HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${more}\r\n`;
const readOnly = (...origins: string[]): TrafficLimits => ({ origins, readOrigins: [], allowsWrites: false });

it.each([true, false])("requests that the limits allow reach their target (TLS: %s)", async (isSecure) => {
  const own = await target(isSecure);
  const proxy = await proxyWith(readOnly(own.origin));
  const send = isSecure ? proxy.secured : proxy.within;
  expect(await send(own.host, request("GET", own.host))).toContain("answer to GET");
  expect(own.reached).toEqual(["GET /path"]);
});

it("a request to another origin, or that changes something, reaches nobody, whichever way it goes", async () => {
  const [own, other, plainOther] = [await target(), await target(), await target(false)];
  const { traffic, plain, within, secured } = await proxyWith(readOnly(own.origin));
  const answers = [
    await secured(other.host, request("GET", other.host)),
    await within(plainOther.host, request("GET", plainOther.host)),
    await plain(request("GET", plainOther.host).replace("/path", `${plainOther.origin}/path`)),
    await secured(own.host, request("POST", own.host, "content-length: 2\r\n")),
    await secured(own.host, request("DELETE", own.host)),
  ];
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  // Another host's name in the tunnel of an allowed one, and a target of a request that is a URL or no path.
  await secured(own.host, request("GET", other.host));
  await secured(own.host, request("GET", own.host).replace("/path", `${other.origin}/path`));
  await secured(own.host, request("OPTIONS", own.host).replace("/path", "*"));
  // A second request behind the first, and one in the body of another.
  await secured(own.host, `GET /first HTTP/1.1\r\nhost: ${own.host}\r\n\r\n${request("POST", own.host)}`);
  await secured(
    own.host,
    `GET /body HTTP/1.1\r\nhost: ${own.host}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${request("POST", own.host)}`,
  );
  expect(
    await secured(own.host, request("GET", own.host, "upgrade: websocket\r\n").replace("close", "upgrade")),
  ).toMatch(/^HTTP\/1\.1 403 /);
  expect([other.reached, plainOther.reached]).toEqual([[], []]);
  expect(own.reached.filter((line) => !/^GET \/(first|body)$/.test(line))).toEqual([]);
  expect(traffic.refusals.join("\n")).toMatch(/A POST request to .* was refused: this run may only read/);
  expect(traffic.refusals.length).toBeLessThanOrEqual(10);
});

it("with leave to write, what changes something reaches the run's origin alone", async () => {
  const [own, other] = [await target(), await target()];
  const limits = { origins: [own.origin], readOrigins: [other.origin], allowsWrites: true };
  const { secured } = await proxyWith(limits);
  const posted = (host: string) => request("POST", host, "content-length: 0\r\n");
  expect(await secured(own.host, posted(own.host))).toContain("answer to POST");
  expect(await secured(other.host, posted(other.host))).toMatch(/^HTTP\/1\.1 403 /);
  expect(await secured(other.host, request("GET", other.host))).toContain("answer to GET");
  const upgrade = request("GET", own.host, "upgrade: chat\r\n").replace("close", "upgrade");
  expect(await secured(own.host, upgrade)).toMatch(/^HTTP\/1\.1 403 /);
  expect(other.reached).toEqual(["GET /path"]);
});

it("a target whose certificate nobody vouches for gets no request, and the run learns why", async () => {
  const own = await target();
  const { traffic, secured } = await proxyWith(readOnly(own.origin), []);
  expect(await secured(own.host, request("GET", own.host))).toBe("");
  expect(own.reached).toEqual([]);
  expect(traffic.failureAt(own.host)).toMatchObject({ kind: "target", category: "tls" });
});

it("the host is that of the judged URL, whatever a request names, and reads have no body", async () => {
  const own = await target(false);
  const { plain, within } = await proxyWith(readOnly(own.origin));
  const asked = `GET ${own.origin}/path HTTP/1.1\r\nhost: evil.example\r\nHost: more.example\r\nconnection: close, host\r\n\r\n`;
  expect(await plain(asked)).not.toContain("evil.example");
  const body = "POST /hidden HTTP/1.1\r\nhost: x\r\n\r\n";
  const chunked = `GET /path HTTP/1.1\r\nhost: ${own.host}\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(await within(own.host, chunked)).toMatch(/^HTTP\/1\.1 403 /);
  expect(own.reached.filter((line) => !line.startsWith("GET /path"))).toEqual([]);
});

it("a status that can't be sent on ends the answer, and nothing else", async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 099 \x01x\r\ncontent-length: 0\r\n\r\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { within } = await proxyWith(readOnly(`http://${host}`));
  expect(await within(host, request("GET", host))).not.toContain("099");
});
