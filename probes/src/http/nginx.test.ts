/** The probe against nginx, an implementation of TLS and HTTP that is not Node's own. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TlsFacts } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { type Authority, anAuthority, aSelfSigned, type KeyPair } from "../../test-support/certificates.ts";
import { closedPort } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

const NGINX = ["nginx", "/usr/sbin/nginx"].find(isInstalled);

describe.skipIf(!NGINX)("nginx (install nginx to run)", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-nginx-"));
  let authority: Authority;
  let ports: Record<
    "good" | "tls12" | "expired" | "wrongHost" | "selfSigned" | "untrusted" | "plain",
    number
  >;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    authority = await anAuthority();
    const certificates: Record<string, KeyPair> = {
      good: await authority.issue(),
      tls12: await authority.issue(),
      expired: await authority.issue({ validFromDays: -9, validToDays: -1 }),
      wrongHost: await authority.issue({ names: ["other.example"] }),
      selfSigned: await aSelfSigned(),
      untrusted: await (await anAuthority("Elsewhere")).issue(),
    };
    const servers: string[] = [];
    const chosen: Record<string, number> = { plain: await closedPort() };
    for (const [name, { cert, key }] of Object.entries(certificates)) {
      writeFileSync(join(folder, `${name}.crt`), cert);
      writeFileSync(join(folder, `${name}.key`), key);
      chosen[name] = await closedPort();
      servers.push(`server {
        listen 127.0.0.1:${chosen[name]} ssl${name === "good" ? " http2" : ""};
        ssl_certificate ${folder}/${name}.crt;
        ssl_certificate_key ${folder}/${name}.key;
        ssl_protocols ${name === "tls12" ? "TLSv1.2" : "TLSv1.2 TLSv1.3"};
        location / { return 200 "hello from nginx\\n"; }
      }`);
    }
    ports = chosen as typeof ports;
    writeFileSync(join(folder, "page.txt"), "text to compress ".repeat(1_000));
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
      events { worker_connections 64; }
      http {
        access_log off; gzip on; gzip_types text/plain; gzip_min_length 1;
        client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
        uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        types { text/plain txt; }
        server {
          listen 127.0.0.1:${ports.plain};
          root ${folder};
          location = /moved { return 308 /page.txt; }
          location = /secret { auth_basic "x"; auth_basic_user_file ${folder}/users; try_files /page.txt =404; }
        }
        ${servers.join("\n")}
      }`,
    );
    writeFileSync(join(folder, "users"), "u:{PLAIN}p\n");
    const server = spawn(NGINX as string, ["-p", folder, "-c", join(folder, "nginx.conf")], {
      stdio: "ignore",
    });
    const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
    stop = async () => {
      server.kill("SIGKILL");
      await ended;
    };
    await vi.waitFor(() => isListening(ports.plain), { timeout: 60_000, interval: 50 });
  });

  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (url: string, config: Record<string, unknown> = {}) =>
    expectResult(
      await runProbe(aRequest({ url, ...config }), aContext({ caCertificates: [authority.certificate] })),
    );

  it.each([
    ["good", "TLSv1.3"],
    ["tls12", "TLSv1.2"],
  ] as const)("with a good certificate (%s) is trusted, over %s", async (name, protocol) => {
    const result = await run(`https://localhost:${ports[name]}/`, {
      assertions: [
        { type: "body_contains", value: "hello from nginx" },
        { type: "ssl_expiry", daysBeforeExpiry: 5 },
      ],
    });
    expect(result.status).toBe("success");
    expect(result.facts?.tls as TlsFacts).toMatchObject({ protocol, isTrusted: true });
  });

  it.each([
    ["expired", "CERT_HAS_EXPIRED"],
    ["wrongHost", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["selfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["untrusted", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ] as const)("with a bad certificate (%s) is an error with its facts", async (name, trustError) => {
    const result = await run(`https://localhost:${ports[name]}/`);
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
    expect(result.facts?.tls).toMatchObject({ isTrusted: false, trustError });
  });

  it("compresses, redirects, asks for a password and answers HEAD as the probe understands it", async () => {
    const base = `http://127.0.0.1:${ports.plain}`;
    const contains = [
      { type: "body_contains", value: "text to compress text" },
      { type: "status_code", value: 200 },
    ];
    const gzip = { type: "header_value", header: "content-encoding", value: "gzip" };
    expect(await run(`${base}/page.txt`, { assertions: [...contains, gzip] })).toMatchObject({
      status: "success",
    });
    expect(await run(`${base}/moved`, { assertions: contains })).toMatchObject({ status: "success" });
    expect(await run(`${base}/secret`)).toMatchObject({ httpStatusCode: 401 });
    const auth = { type: "basic", username: "u", password: "p" };
    expect(await run(`${base}/secret`, { auth, assertions: contains })).toMatchObject({ status: "success" });
    expect(await run(`${base}/page.txt`, { method: "HEAD" })).toMatchObject({
      status: "success",
      httpStatusCode: 200,
    });
  });
});

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function isListening(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
