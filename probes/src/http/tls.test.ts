import http2 from "node:http2";
import https from "node:https";
import tls from "node:tls";
import type { TlsFacts } from "@svc/contract";
import { beforeAll, describe, expect, it } from "vitest";
import { aContext, aRequest, expectResult } from "../../test-support/builders.ts";
import { type Authority, anAuthority, aSelfSigned, type KeyPair } from "../../test-support/certificates.ts";
import { httpServer, listening, rawServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

let authority: Authority;
let good: KeyPair;
beforeAll(async () => {
  authority = await anAuthority();
  good = await authority.issue();
});

async function httpsServer(options: https.ServerOptions): Promise<string> {
  return `https://127.0.0.1:${await listening(https.createServer(options, (_, response) => response.end("ok")))}/`;
}

async function run(url: string, config: Record<string, unknown> = {}) {
  const context = aContext({ caCertificates: [authority.certificate] });
  return expectResult(await runProbe(aRequest({ url, ...config }), context));
}

describe("an https run", () => {
  it("against a trusted server succeeds and carries the facts", async () => {
    const result = await run(await httpsServer(good));
    expect(result).toMatchObject({ status: "success", httpStatusCode: 200 });
    expect(result.phases.tlsHandshakeUs).toBeGreaterThan(0);
    const facts = result.facts?.tls as TlsFacts;
    expect(facts).toMatchObject({
      host: "127.0.0.1",
      issuer: "CN=Test Root",
      subject: "CN=localhost",
      subjectAltNames: ["localhost", "127.0.0.1"],
      isTrusted: true,
      isSelfSigned: false,
      protocol: "TLSv1.3",
    });
    expect(facts).not.toHaveProperty("trustError");
    expect(facts.fingerprintSha256).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(facts.cipher).toMatch(/^TLS_/);
    expect(facts.validTo).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it("does a full handshake every time", async () => {
    const server = https.createServer(good, (request, response) =>
      response.end(String((request.socket as tls.TLSSocket).isSessionReused())),
    );
    const url = `https://localhost:${await listening(server)}/`;
    for (let index = 0; index < 3; index++) {
      const result = await run(url, { assertions: [{ type: "body_contains", value: "false" }] });
      expect(result.status).toBe("success");
    }
  });

  it.each<[string, () => Promise<KeyPair>, Partial<TlsFacts>, RegExp]>([
    [
      "expired",
      () => authority.issue({ validFromDays: -9, validToDays: -2 }),
      { trustError: "CERT_HAS_EXPIRED", isSelfSigned: false },
      /expired: it was valid until 2/,
    ],
    [
      "not yet valid",
      () => authority.issue({ validFromDays: 2 }),
      { trustError: "CERT_NOT_YET_VALID" },
      /not valid yet/,
    ],
    [
      "for another host",
      () => authority.issue({ names: ["other.example"] }),
      { trustError: "ERR_TLS_CERT_ALTNAME_INVALID", subjectAltNames: ["other.example"] },
      /is for another host: it names other.example/,
    ],
    [
      "self-signed",
      () => aSelfSigned(),
      { trustError: "DEPTH_ZERO_SELF_SIGNED_CERT", isSelfSigned: true },
      /self-signed.*NODE_EXTRA_CA_CERTS/,
    ],
    [
      "of an untrusted root",
      async () => (await anAuthority("Elsewhere")).issue(),
      { trustError: "UNABLE_TO_VERIFY_LEAF_SIGNATURE", isSelfSigned: false },
      /issued by "CN=Elsewhere", which is not trusted/,
    ],
  ])(
    "against a certificate that is %s is an error of category tls with the facts",
    async (_, make, facts, message) => {
      const result = await run(await httpsServer(await make()));
      expect(result).toMatchObject({ status: "error", detail: { errorCategory: "tls" } });
      expect(result.httpStatusCode).toBeUndefined();
      expect(result.detail?.errorMessage).toMatch(message);
      expect(result.facts?.tls).toMatchObject({ ...facts, isTrusted: false });
    },
  );

  it("against a server that speaks only TLS 1.1 succeeds and the facts say so", async () => {
    const url = await httpsServer({
      ...good,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    for (let index = 0; index < 2; index++) {
      const result = await run(url);
      expect(result.status).toBe("success");
      expect(result.facts?.tls).toMatchObject({ protocol: "TLSv1.1", isTrusted: true });
    }
  });

  it("against a server that speaks plain HTTP is an error that says so", async () => {
    const url = (await httpServer((_, response) => response.end())).replace("http:", "https:");
    const result = await run(url);
    expect(result.detail).toMatchObject({
      errorCategory: "tls",
      errorMessage: expect.stringMatching(/does not answer with TLS on this port.*http:\/\//),
    });
  });

  it("against a server that hangs up in the handshake is an error of category tls", async () => {
    const host = await rawServer((socket) => socket.once("data", () => socket.destroy()));
    const result = await run(`https://${host}/`);
    expect(result.detail).toMatchObject({
      errorCategory: "tls",
      errorMessage: expect.stringMatching(/closed the connection during the handshake/),
    });
  });

  it("against a server that hangs in the handshake is a timeout that names it", async () => {
    const host = await rawServer(() => {});
    const result = await run(`https://${host}/`, { timeoutMs: 100 });
    expect(result.status).toBe("timeout");
    expect(result.detail?.errorMessage).toMatch(/in the TLS handshake/);
    expect(result.phases.tlsHandshakeUs).toBeGreaterThan(50_000);
  });

  it("sends the host name by SNI, and none for an address", async () => {
    const names: unknown[] = [];
    const server = https.createServer(good, (request, response) => {
      names.push((request.socket as tls.TLSSocket & { servername: unknown }).servername);
      response.end();
    });
    const port = await listening(server);
    await run(`https://localhost:${port}/`);
    await run(`https://127.0.0.1:${port}/`);
    expect(names).toEqual(["localhost", false]);
  });
});

describe("HTTP/2", () => {
  const h2Server = async (
    handle: (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void,
  ) => {
    const server = http2.createSecureServer(good);
    server.on("stream", (stream, headers) => {
      stream.on("error", () => {});
      handle(stream, headers);
    });
    return `https://localhost:${await listening(server)}/`;
  };

  it("is spoken to a server that offers nothing else", async () => {
    const url = await h2Server((stream, headers) => {
      stream.respond({ ":status": 201, "x-a": "b", "set-cookie": ["c=1", "d=2"] });
      stream.end(`${headers[":method"]} ${headers[":authority"]} ${headers["user-agent"]}`);
    });
    const result = await run(url, {
      assertions: [
        { type: "status_code", value: 201 },
        { type: "header_value", header: "X-A", value: "b" },
        { type: "body_contains", value: `GET ${new URL(url).host} svc-test/1.0` },
      ],
    });
    expect(result.detail?.errorMessage).toBeUndefined();
    expect(result).toMatchObject({ status: "success", httpStatusCode: 201 });
    expect(result.facts?.tls).toMatchObject({ isTrusted: true });
  });

  it("costs a failed handshake only once per server", async () => {
    const server = http2.createSecureServer(good, (_, response) => void response.end());
    let connections = 0;
    server.on("connection", () => connections++);
    const url = `https://localhost:${await listening(server)}/`;
    for (let index = 0; index < 3; index++) expect((await run(url)).status).toBe("success");
    expect(connections).toBe(4);
  });

  it("carries a request body", async () => {
    const url = await h2Server((stream) => {
      let received = "";
      stream.on("data", (chunk) => {
        received += chunk;
      });
      stream.on("end", () => {
        stream.respond({ ":status": 200 });
        stream.end(received);
      });
    });
    const result = await run(url, {
      method: "POST",
      body: "payload",
      assertions: [{ type: "body_contains", value: "payload" }],
    });
    expect(result.status).toBe("success");
  });

  it("is not used with a server that speaks HTTP/1.1 too", async () => {
    const server = http2.createSecureServer({ ...good, allowHTTP1: true }, (request, response) =>
      response.end(request.httpVersion),
    );
    const result = await run(`https://localhost:${await listening(server)}/`, {
      assertions: [{ type: "body_contains", value: "1.1" }],
    });
    expect(result.status).toBe("success");
  });

  it("follows redirects, times out and reports a broken stream", async () => {
    const url = await h2Server((stream, headers) => {
      if (headers[":path"] === "/start") {
        stream.respond({ ":status": 302, location: "/end" });
        stream.end();
      } else if (headers[":path"] === "/reset") stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
      else if (headers[":path"] === "/end") {
        stream.respond({ ":status": 200 });
        stream.end("end");
      }
    });
    expect(await run(`${url}start`)).toMatchObject({ status: "success", httpStatusCode: 200 });
    expect(await run(`${url}reset`)).toMatchObject({
      status: "error",
      detail: { errorCategory: "protocol" },
    });
    expect(await run(`${url}hang`, { timeoutMs: 200 })).toMatchObject({ status: "timeout" });
  });

  it("is judged as a broken protocol when the server agrees to it and speaks something else", async () => {
    const server = tls.createServer({ ...good, ALPNProtocols: ["h2"] }, (socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 200 OK\r\n\r\n");
    });
    const result = await run(`https://localhost:${await listening(server)}/`, { timeoutMs: 2_000 });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "protocol" } });
  });
});
