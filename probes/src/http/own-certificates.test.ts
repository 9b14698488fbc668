/** Requests with a private authority and a client certificate, against nginx that demands one. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckType } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Authority, anAuthority, type KeyPair } from "../../test-support/certificates.ts";
import { httpProxy } from "../../test-support/http-proxy.ts";
import { mcpServer } from "../../test-support/mcp-server.ts";
import { runOf } from "../../test-support/run-of.ts";
import { closedPort, httpServer, listening } from "../../test-support/servers.ts";

const NGINX = ["nginx", "/usr/sbin/nginx"].find(isInstalled);
const HOST = "127.0.0.1";

let authority: Authority;
let client: KeyPair;
/** Fields of a check that trusts the authority alone. */
let trusting: Record<string, string>;
/** Fields of a check that also shows its certificate. */
let showing: Record<string, string>;

beforeAll(async () => {
  authority = await anAuthority("Private Root");
  client = await authority.issue({ names: ["watcher.test"] });
  trusting = { caCertificates: authority.certificate };
  showing = { ...trusting, clientCertificate: client.cert, clientKey: client.key };
});

describe.skipIf(!NGINX)("nginx (install nginx to run) that demands a client certificate", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-nginx-client-"));
  let demanding: number;
  let asking: number;
  let upstream: number;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const server = await authority.issue();
    for (const [name, text] of Object.entries({ ...server, ca: authority.certificate }))
      writeFileSync(join(folder, `${name}.pem`), text);
    [demanding, asking, upstream] = [await closedPort(), await closedPort(), await closedPort()];
    const server443 = (port: number, verify: string) => `server {
      listen ${HOST}:${port} ssl http2;
      ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
      ssl_client_certificate ${folder}/ca.pem; ssl_verify_client ${verify};
      location / { return 200 "$ssl_client_verify $ssl_client_s_dn\\n"; }
      location = /away { return 302 https://localhost:${asking}/; }
      location = /mcp { proxy_pass http://${HOST}:${upstream}; proxy_http_version 1.1; }
    }`;
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
      events { worker_connections 64; }
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        ${server443(demanding, "on")} ${server443(asking, "optional")}
      }`,
    );
    const child = spawn(NGINX as string, ["-p", folder, "-c", join(folder, "nginx.conf")], {
      stdio: "ignore",
    });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    stop = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    await vi.waitFor(() => isListening(demanding), { timeout: 60_000, interval: 50 });
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const contains = (value: string) => ({ assertions: [{ type: "body_contains", value }] });

  it("answers an http check that shows its certificate, directly and through a proxy", async () => {
    const url = `https://${HOST}:${demanding}/`;
    const config = { url, ...showing, ...contains("SUCCESS CN=watcher.test") };
    expect(await runOf("http", config)).toMatchObject({
      status: "success",
      facts: { tls: { isTrusted: true } },
    });
    const proxy = await httpProxy();
    expect(await runOf("http", { ...config, proxyUrl: proxy.url })).toMatchObject({ status: "success" });
    expect(proxy.asked).toEqual([`CONNECT ${HOST}:${demanding}`]);
  });

  it("turns away a check without a certificate, and is not trusted by one without its authority", async () => {
    const url = `https://${HOST}:${demanding}/`;
    expect(await runOf("http", { url, ...trusting })).toMatchObject({ httpStatusCode: 400 });
    const { caCertificates: _, ...untrusting } = showing;
    const untrusted = await runOf("http", { url, ...untrusting });
    expect(untrusted).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
    expect(untrusted.detail?.errorMessage).toContain(
      "a private authority is trusted by caCertificates of the check",
    );
  });

  it("answers every step of a multistep check that shows its certificate", async () => {
    const url = `https://${HOST}:${demanding}/`;
    const step = (name: string) => ({ name, url, ...contains("SUCCESS") });
    expect(await runOf("multistep", { steps: [step("a"), step("b")], ...showing })).toMatchObject({
      status: "success",
    });
    const without = await runOf("multistep", { steps: [step("a"), step("b")], ...trusting });
    expect(without).toMatchObject({ status: "failure", httpStatusCode: 400 });
  });

  it("lets an MCP check in that shows its certificate", async () => {
    const { endpoint } = await mcpServer();
    const passing = net.createServer((near) => {
      const far = net.connect(Number(new URL(endpoint).port), HOST);
      for (const socket of [near, far]) socket.on("error", () => {});
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => passing.listen(upstream, HOST, resolve));
    try {
      const config = { endpoint: `https://${HOST}:${demanding}/mcp`, timeoutMs: 5_000 };
      expect(await runOf("mcp", { ...config, ...showing })).toMatchObject({ status: "success" });
      expect(await runOf("mcp", { ...config, ...trusting })).toMatchObject({
        status: "error",
        httpStatusCode: 400,
      });
    } finally {
      passing.close();
    }
  });

  it("of another host, to which a redirect leads, sees no certificate of the check", async () => {
    const away = { url: `https://${HOST}:${demanding}/away`, ...showing };
    expect(await runOf("http", { ...away, ...contains("NONE") })).toMatchObject({ status: "success" });
    const home = { url: `https://localhost:${asking}/`, ...showing };
    expect(await runOf("http", { ...home, ...contains("SUCCESS") })).toMatchObject({ status: "success" });
  });

  it("sees the certificate of a check whose http:// URL redirects to the https:// URL of its host", async () => {
    const url = await httpServer((_request, response) =>
      response.writeHead(301, { location: `https://${HOST}:${demanding}/` }).end(),
    );
    expect(await runOf("http", { url, ...showing, ...contains("SUCCESS") })).toMatchObject({
      status: "success",
    });
  });
});

it.each<[CheckType, (url: string) => Record<string, unknown>]>([
  ["http", (url) => ({ url })],
  ["multistep", (url) => ({ steps: [{ name: "Open", url }] })],
])("a refusal behind the handshake of TLS 1.3 is one of TLS, and says why: %s", async (type, configOf) => {
  const pair = await authority.issue();
  const options = { ...pair, ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const port = await listening(https.createServer(options, (_request, response) => response.end("hello")));
  const config = configOf(`https://${HOST}:${port}/`);
  const without = await runOf(type, { ...config, ...trusting });
  expect(without).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
  expect(without.detail?.errorMessage).toContain(
    "the server wants a client certificate (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)",
  );
  const strange = await (await anAuthority("Elsewhere")).issue();
  const wrong = { ...trusting, clientCertificate: strange.cert, clientKey: strange.key };
  expect(await runOf(type, { ...config, ...wrong })).toMatchObject({ status: "error" });
  expect(await runOf(type, { ...config, ...showing })).toMatchObject({ status: "success" });
});

it("a key that is not the certificate's is named before anything is sent, without a part of it", async () => {
  const { key } = await authority.issue();
  const port = await listening(https.createServer(await authority.issue()));
  const config = { url: `https://${HOST}:${port}/`, ...showing, clientKey: key };
  const result = await runOf("http", config);
  expect(result).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
  expect(result.detail?.errorMessage).toContain("the check's certificates or its key can't be used");
  for (const line of key.split("\n").filter((one) => one.length > 20 && !one.startsWith("---")))
    expect(JSON.stringify(result)).not.toContain(line);
});

function isListening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, HOST, () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
