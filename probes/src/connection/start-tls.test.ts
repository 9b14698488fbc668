/** Tests how plain connections are asked for TLS, and what a server can't do meanwhile. */
import type { StartTlsProtocol, TlsFacts } from "@svc/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { type Authority, anAuthority, type KeyPair } from "../../test-support/certificates.ts";
import { runOf } from "../../test-support/run-of.ts";
import { rawServer } from "../../test-support/servers.ts";
import { startTlsServer } from "../../test-support/start-tls-server.ts";

let authority: Authority;
let good: KeyPair;
beforeAll(async () => {
  authority = await anAuthority();
  good = await authority.issue();
});

const SSL_REQUEST = Buffer.from("0000000804d2162f", "hex");

type Script = Parameters<typeof startTlsServer>[0];

const SMTP: Script = {
  greeting: "220-mail.example\r\n220 ready\r\n",
  turns: [
    ["EHLO [127.0.0.1]\r\n", "250-mail.example\r\n250-PIPELINING\r\n250 STARTTLS\r\n"],
    ["STARTTLS\r\n", "220 go ahead\r\n"],
  ],
};

const SCRIPTS: readonly [StartTlsProtocol, Script][] = [
  ["smtp", SMTP],
  [
    "imap",
    { greeting: "* OK ready\r\n", turns: [["a1 STARTTLS\r\n", "* CAPABILITY IMAP4rev2\r\na1 OK begin\r\n"]] },
  ],
  ["pop3", { greeting: "+OK ready\r\n", turns: [["STLS\r\n", "+OK begin\r\n"]] }],
  ["ftp", { greeting: "220-Welcome\r\nto this\r\n220 ready\r\n", turns: [["AUTH TLS\r\n", "234 go\r\n"]] }],
  ["postgres", { turns: [[SSL_REQUEST, "S"]] }],
];

const run = (port: number, startTls: StartTlsProtocol, config: Record<string, unknown> = {}) =>
  runOf("tcp", {
    host: "127.0.0.1",
    port,
    tls: true,
    startTls,
    caCertificates: authority.certificate,
    timeoutMs: 2_000,
    ...config,
  });

/** Starts a server that says each text in turn, whatever it is sent. */
async function saying(...texts: string[]): Promise<number> {
  const server = await rawServer((socket) => {
    const [first, ...others] = texts;
    if (first !== "") socket.write(first as string);
    socket.on("data", () => {
      const next = others.shift();
      if (next === undefined) socket.end();
      else socket.write(next);
    });
  });
  return Number(server.split(":")[1]);
}

describe.each(SCRIPTS)("%s", (protocol, script) => {
  it("is asked for TLS, and the run goes on over TLS", async () => {
    const port = await startTlsServer(script, {
      ...good,
      onSecure: (socket) => socket.once("data", (data) => socket.write(`got ${data}`)),
    });
    const result = await run(port, protocol, { send: "hello", expectContains: "got hello" });
    expect(result).toMatchObject({ status: "success" });
    expect(result.facts?.tls as TlsFacts).toMatchObject({ isTrusted: true, host: "127.0.0.1" });
    expect(Object.keys(result.phases).sort()).toEqual([
      "contentTransferUs",
      "tcpConnectUs",
      "tlsHandshakeUs",
      "ttfbUs",
    ]);
  });

  it("fails the run with a certificate that is not trusted, with its facts", async () => {
    const port = await startTlsServer(script, await authority.issue({ validFromDays: -9, validToDays: -2 }));
    const result = await run(port, protocol);
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
    expect(result.facts?.tls as TlsFacts).toMatchObject({ trustError: "CERT_HAS_EXPIRED" });
  });

  it("whose server sends more before TLS fails the run: nothing unprotected counts as protected", async () => {
    const port = await startTlsServer({ ...script, smuggled: "250 evil\r\n" }, good);
    const result = await run(port, protocol, { expectContains: "250" });
    expect(result.status).toBe("error");
    expect(["protocol", "tls"]).toContain(result.detail?.errorCategory);
  });

  it("whose server closes at once fails the run", async () => {
    const server = await rawServer((socket) => socket.end());
    const result = await run(Number(server.split(":")[1]), protocol);
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
    expect(result.detail?.errorMessage).toMatch(/did not begin TLS: it closed the connection/);
  });

  it("whose server is silent is a timeout that names what was asked", async () => {
    const server = await rawServer(() => {});
    const result = await run(Number(server.split(":")[1]), protocol, { timeoutMs: 150 });
    expect(result.status).toBe("timeout");
    expect(result.detail?.errorMessage).toContain(`${protocol}: asking for TLS`);
  });
});

it.each<[string, StartTlsProtocol, string[], RegExp]>([
  ["smtp without STARTTLS", "smtp", ["220 hi\r\n", "250-a\r\n250 PIPELINING\r\n"], /does not offer STARTTLS/],
  ["smtp that is not ready", "smtp", ["554 go away\r\n"], /it answered "554 go away"/],
  [
    "smtp that refuses",
    "smtp",
    ["220 hi\r\n", "250 STARTTLS\r\n", "454 later\r\n"],
    /it answered "454 later"/,
  ],
  ["imap that refuses", "imap", ["* OK hi\r\n", "a1 BAD what\r\n"], /it answered "a1 BAD what"/],
  ["imap that says goodbye", "imap", ["* BYE\r\n"], /it answered "\* BYE"/],
  ["pop3 that refuses", "pop3", ["+OK hi\r\n", "-ERR no\r\n"], /it answered "-ERR no"/],
  ["ftp that refuses", "ftp", ["220 hi\r\n", "530 log in first\r\n"], /it answered "530 log in first"/],
  ["postgres without TLS", "postgres", ["", "N"], /does not offer TLS/],
  ["postgres that is none", "postgres", ["", "HTTP/1.1 400"], /something else/],
  ["garbage", "smtp", ["\u0000\u0001\u0002\n"], /it answered "/],
  ["a reply of endless lines", "smtp", ["220-again\r\n".repeat(500)], /more than 100 lines/],
  ["lines without a meaning", "imap", ["* OK hi\r\n", "* noise\r\n".repeat(500)], /more than 100 lines/],
  ["a line without end", "smtp", ["2".repeat(40_000)], /more than 16384 bytes/],
])("%s fails the run and says why", async (_, protocol, texts, message) => {
  const result = await run(await saying(...texts), protocol);
  expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
  expect(result.detail?.errorMessage).toMatch(message);
});
