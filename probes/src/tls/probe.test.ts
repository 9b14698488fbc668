/** Tests TLS checks against real servers on loopback, whose certificates are made here. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Authority, anAuthority, aSelfSigned, type KeyPair } from "../../test-support/certificates.ts";
import { runOf } from "../../test-support/run-of.ts";
import { closedPort, listening, rawServer } from "../../test-support/servers.ts";
import { startTlsServer } from "../../test-support/start-tls-server.ts";

let authority: Authority;
let good: KeyPair;
beforeAll(async () => {
  authority = await anAuthority();
  good = await authority.issue();
});

const serving = (options: tls.TlsOptions) =>
  listening(tls.createServer(options, (socket) => socket.on("error", () => {})));

const run = (config: Record<string, unknown>) =>
  runOf("tls", { host: "127.0.0.1", caCertificates: authority.certificate, timeoutMs: 3_000, ...config });

describe("a TLS run", () => {
  it("of a good certificate succeeds, with its facts, its phases and its chain", async () => {
    const result = await run({ port: await serving(good), assertions: [{ type: "ssl_expiry" }] });
    expect(result).toMatchObject({
      status: "success",
      facts: { tls: { host: "127.0.0.1", isTrusted: true, protocol: "TLSv1.3" } },
      detail: {
        tlsJson: { protocol: "TLSv1.3", chain: [{ subject: "CN=localhost", issuer: "CN=Test Root" }] },
        assertions: [{ type: "ssl_expiry", passed: true }],
      },
    });
    expect(Object.keys(result.phases).sort()).toEqual(["tcpConnectUs", "tlsHandshakeUs"]);
  });

  it.each<[string, () => Promise<KeyPair>, RegExp]>([
    [
      "expired",
      () => authority.issue({ validFromDays: -9, validToDays: -2 }),
      /^the certificate of .* expired: it was valid until [^;]*$/,
    ],
    ["not yet valid", () => authority.issue({ validFromDays: 2 }), /is not valid yet/],
    [
      "for another host",
      () => authority.issue({ names: ["other.example"] }),
      /is for another host: it names other/,
    ],
    ["self-signed", () => aSelfSigned(), /is self-signed/],
    ["of an unknown authority", async () => (await anAuthority("Strange")).issue(), /which is not trusted/],
    [
      "about to expire",
      () => authority.issue({ validToDays: 13.95 }),
      /expires in 13.9 days, on .*; wanted: more than 14 days/,
    ],
  ])("of a certificate that is %s is a failure of category tls with its facts", async (_, issue, message) => {
    const result = await run({ port: await serving(await issue()) });
    expect(result).toMatchObject({ status: "failure", detail: { errorCategory: "tls" } });
    expect(result.detail?.errorMessage).toMatch(message);
    expect(result.facts?.tls).toBeDefined();
    expect(result.detail?.tlsJson?.chain).toHaveLength(1);
  });

  it("names everything that is wrong at once", async () => {
    const pair = await authority.issue({ names: ["other.example"], validToDays: 3 });
    const result = await run({ port: await serving(pair), minProtocol: "TLSv1.3" });
    expect(result.detail?.errorMessage).toMatch(/another host.*; .*expires in [23]\.9 days/);
  });

  it("counts the days by its floor", async () => {
    const port = await serving(await authority.issue({ validToDays: 20 }));
    expect((await run({ port, minDaysBeforeExpiry: 19 })).status).toBe("success");
    expect((await run({ port, minDaysBeforeExpiry: 21 })).status).toBe("failure");
    expect((await run({ port, minDaysBeforeExpiry: 0 })).status).toBe("success");
  });

  it.each([
    ["TLSv1.2", "TLSv1.3", "failure"],
    ["TLSv1.2", "TLSv1.2", "success"],
    ["TLSv1.1", "TLSv1.2", "failure"],
    ["TLSv1.1", "TLSv1.1", "success"],
    ["TLSv1.3", "TLSv1", "success"],
  ] as const)("with a server of %s and the floor %s is a %s", async (version, minProtocol, status) => {
    const port = await serving({
      ...good,
      minVersion: version,
      maxVersion: version,
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    const result = await run({ port, minProtocol });
    expect([result.status, result.detail?.tlsJson?.protocol]).toEqual([status, version]);
    if (status === "failure")
      expect(result.detail?.errorMessage).toBe(
        `127.0.0.1:${port} agreed on ${version}; wanted: ${minProtocol} or newer`,
      );
  });

  it("behind STARTTLS is judged as any", async () => {
    const script = { greeting: "* OK\r\n", turns: [["a1 STARTTLS\r\n", "a1 OK\r\n"] as const] };
    const port = await startTlsServer(script, good);
    expect((await run({ port, startTls: "imap" })).status).toBe("success");
    const bad = await startTlsServer(script, await aSelfSigned());
    expect(await run({ port: bad, startTls: "imap" })).toMatchObject({ status: "failure" });
  });

  it("against a server without TLS, or none, is an error", async () => {
    const plain = Number((await rawServer((socket) => socket.end("HTTP/1.1 400\r\n\r\n"))).split(":")[1]);
    expect(await run({ port: plain })).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
    expect(await run({ port: await closedPort() })).toMatchObject({
      status: "error",
      detail: { errorCategory: "connect" },
    });
  });
});

/** A chain of OpenSSL: root, an intermediate that ends in five days, and a leaf. */
describe("a chain with an intermediate", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-chain-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const text = (name: string) => readFileSync(file(name), "utf8");

  beforeAll(() => {
    writeFileSync(file("ca.ext"), "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n");
    writeFileSync(file("leaf.ext"), "subjectAltName=IP:127.0.0.1\n");
    const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    openssl(
      "req",
      "-x509",
      ...newKey,
      "-keyout",
      "root.key",
      "-out",
      "root.pem",
      "-subj",
      "/CN=Own Root",
      "-days",
      "90",
      "-addext",
      "keyUsage=keyCertSign",
    );
    for (const [name, issuer, days] of [
      ["middle", "root", "5"],
      ["leaf", "middle", "60"],
    ] as const) {
      openssl("req", ...newKey, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=Own ${name}`);
      const extension = name === "leaf" ? "leaf.ext" : "ca.ext";
      openssl(
        "x509",
        "-req",
        "-in",
        `${name}.csr`,
        "-CA",
        `${issuer}.pem`,
        "-CAkey",
        `${issuer}.key`,
        "-CAcreateserial",
        "-out",
        `${name}.pem`,
        "-days",
        days,
        "-extfile",
        extension,
      );
    }
  });

  it("is shown as it was sent, and the floor of days holds for each of its certificates", async () => {
    const port = await serving({ key: text("leaf.key"), cert: text("leaf.pem") + text("middle.pem") });
    const caCertificates = text("root.pem");
    const result = await run({ port, caCertificates });
    expect(result.detail?.tlsJson?.chain.map(({ subject }) => subject)).toEqual([
      "CN=Own leaf",
      "CN=Own middle",
    ]);
    expect(result.detail?.errorMessage).toMatch(
      /^the certificate "CN=Own middle" of the chain expires in 4.9 days/,
    );
    expect((await run({ port, caCertificates, minDaysBeforeExpiry: 4 })).status).toBe("success");
  });

  it("that lacks its intermediate is a failure that says so", async () => {
    const port = await serving({ key: text("leaf.key"), cert: text("leaf.pem") });
    const result = await run({ port, caCertificates: text("root.pem") });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/whose intermediate certificate the server does not send/);
  });
});
