import { describe, expect, it } from "vitest";
import { parseInput } from "../base/validation.ts";
import { type CheckType, checkTypes } from "./registry.ts";

/** Messages about a configuration, each with its path. */
function problems(type: CheckType, config: unknown): string[] {
  const parsed = parseInput<unknown>(checkTypes.get(type).configSchema, config);
  return parsed.success
    ? []
    : [...Object.values(parsed.details.fieldErrors).flat(), ...parsed.details.formErrors];
}

function withDefaults(type: CheckType, config: unknown): unknown {
  return checkTypes.get(type).configSchema.parse(config);
}

describe("http", () => {
  const url = "https://example.org/";

  it("has the documented defaults", () => {
    expect(
      withDefaults("http", { url, agentPersonas: { personas: ["vendor1-bot"] }, agentReadiness: {} }),
    ).toEqual({
      url,
      method: "GET",
      followRedirects: true,
      maxRedirects: 5,
      timeoutMs: 30_000,
      assertions: [],
      agentPersonas: { enabled: false, personas: ["vendor1-bot"], every: 1, failOnDivergence: false },
      agentReadiness: { enabled: false, every: 12, require: [] },
    });
  });

  it.each([
    ["no URL", {}, "required"],
    ["another scheme", { url: "ftp://example.org" }, "expected a valid http:// or https:// URL"],
    ["no host", { url: "http://" }, "expected a valid http:// or https:// URL"],
    ["no scheme", { url: "example.org" }, "expected a valid http:// or https:// URL"],
    ["a script", { url: "javascript:alert(1)" }, "expected a valid http:// or https:// URL"],
    [
      "an unknown method",
      { url, method: "get" },
      'expected one of GET, POST, PUT, DELETE, PATCH, HEAD; got "get"; did you mean "GET"?',
    ],
    [
      "a header with a line break",
      { url, headers: { "X-A": "a\r\nB: c" } },
      "headers.X-A: not a valid header value",
    ],
    ["a header name with a colon", { url, headers: { "X:A": "a" } }, "not a valid header name"],
    ["timeoutMs 0", { url, timeoutMs: 0 }, "smallest is 1"],
    ["timeoutMs 120001", { url, timeoutMs: 120_001 }, "largest is 120000"],
    ["maxRedirects -1", { url, maxRedirects: -1 }, "smallest is 0"],
    ["personas without a list", { url, agentPersonas: {} }, "agentPersonas.personas: required"],
    [
      "an empty list of personas",
      { url, agentPersonas: { personas: [] } },
      "agentPersonas.personas: at least one persona",
    ],
    [
      "a persona twice",
      { url, agentPersonas: { personas: ["vendor1-bot", "vendor1-bot"] } },
      'agentPersonas.personas[1]: "vendor1-bot" is listed twice',
    ],
    [
      "an unknown persona",
      { url, agentPersonas: { personas: ["vendor4-bot"] } },
      'did you mean "vendor1-bot"?',
    ],
    [
      "every 0",
      { url, agentPersonas: { personas: ["vendor1-bot"], every: 0 } },
      "agentPersonas.every: smallest is 1",
    ],
    ["every 1001", { url, agentReadiness: { every: 1001 } }, "agentReadiness.every: largest is 1000"],
    [
      "an unknown field in a block",
      { url, agentReadiness: { enable: true } },
      'unknown field "enable"; did you mean "enabled"?',
    ],
    [
      "an unknown probe",
      { url, agentReadiness: { require: ["robots"] } },
      "agentReadiness.require[0]: expected one of",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("http", config).join("\n")).toContain(message);
  });

  it.each([
    ["basic without password", { type: "basic", username: "a" }, "auth.password: required"],
    ["bearer without token", { type: "bearer" }, "auth.token: required"],
    ["a field of another type", { type: "bearer", token: "t", username: "a" }, 'unknown field "username"'],
    ["an unknown type", { type: "digest" }, "auth.type: expected one of basic, bearer, api-key"],
  ])("auth: %s is refused", (_name, auth, message) => {
    expect(problems("http", { url, auth }).join("\n")).toContain(message);
  });

  it("auth by API key has a default header", () => {
    expect(withDefaults("http", { url, auth: { type: "api-key", value: "v" } })).toMatchObject({
      auth: { type: "api-key", header: "X-API-Key", value: "v" },
    });
  });
});

describe("tcp", () => {
  const target = { host: "mail.example.org", port: 25 };
  const pem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----";

  it("has the documented defaults", () => {
    expect(withDefaults("tcp", target)).toEqual({ ...target, timeoutMs: 10_000, tls: false, assertions: [] });
  });

  it.each([
    "mail.example.org.",
    "_dmarc.example.org",
    "localhost",
    "192.0.2.1",
    "2001:db8::1",
    "::ffff:192.0.2.1",
    "xn--bcher-kva.example",
    "a".repeat(63),
  ])("takes the host %s", (host) => {
    expect(problems("tcp", { ...target, host })).toEqual([]);
  });

  it.each([
    "",
    "https://example.org",
    "example.org:25",
    "example.org/x",
    "[::1]",
    "bücher.example",
    "a b",
    "-a.example",
    "a..b",
    "0x7f.1",
    "127.1",
    "2130706433",
    "256.0.0.1",
    "1:2",
    "a".repeat(64),
    "user@example.org",
    "a.".repeat(200),
  ])("refuses the host %s", (host) => {
    expect(problems("tcp", { ...target, host })).toEqual([expect.stringContaining("host")]);
  });

  it.each<[string, object, string]>([
    ["no port", { port: undefined }, "required"],
    ["port 0", { port: 0 }, "smallest is 1"],
    ["port 65536", { port: 65_536 }, "largest is 65535"],
    ["timeoutMs 99", { timeoutMs: 99 }, "smallest is 100"],
    ["timeoutMs 60001", { timeoutMs: 60_001 }, "largest is 60000"],
    ["startTls without tls", { startTls: "smtp" }, "startTls: only with tls: true"],
    ["serverName without tls", { serverName: "a.example" }, "serverName: only with tls: true"],
    ["caCertificates without tls", { caCertificates: pem }, "caCertificates: only with tls: true"],
    [
      "a certificate without a key",
      { tls: true, clientCertificate: pem },
      "clientKey: required with clientCertificate",
    ],
    [
      "a key without a certificate",
      { tls: true, clientKey: "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----" },
      "clientCertificate: required with clientKey",
    ],
    ["authorities that are no PEM", { tls: true, caCertificates: "MA==" }, "expected certificates in PEM"],
    [
      "an encrypted key",
      {
        tls: true,
        clientCertificate: pem,
        clientKey: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----",
      },
      "has a passphrase",
    ],
    ["an empty send", { send: "" }, "send has at least 1 character"],
    [
      "an assertion about a response",
      { assertions: [{ type: "status_code", value: 200 }] },
      "assertions[0].type: status_code is about an HTTP response, which a tcp check does not have; such a check takes response_time and ssl_expiry",
    ],
    [
      "an unknown assertion",
      { assertions: [{ type: "response_tim", max: 1 }] },
      'did you mean "response_time"?',
    ],
    [
      "ssl_expiry without tls",
      { assertions: [{ type: "ssl_expiry" }] },
      "ssl_expiry is about a certificate, which there is only with tls: true",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("tcp", { ...target, ...config }).join("\n")).toContain(
      message.replace(/^\w+: (?=only|required with)/, ""),
    );
  });

  it("takes a reference to a secret in the place of a key", () => {
    const config = { ...target, tls: true, clientCertificate: pem, clientKey: "{{vault.MAIL_KEY}}" };
    expect(problems("tcp", config)).toEqual([]);
  });
});

describe("tls", () => {
  it("has the documented defaults", () => {
    expect(withDefaults("tls", { host: "a.example" })).toEqual({
      host: "a.example",
      port: 443,
      timeoutMs: 10_000,
      minDaysBeforeExpiry: 14,
      minProtocol: "TLSv1.2",
      assertions: [],
    });
  });

  it.each<[string, object, string]>([
    ["a negative floor of days", { minDaysBeforeExpiry: -1 }, "smallest is 0"],
    ["an unknown version", { minProtocol: "TLS1.2" }, 'did you mean "TLSv1.2"?'],
    ["an unknown protocol", { startTls: "ldap" }, "expected one of smtp, imap, pop3, ftp, postgres"],
    [
      "an assertion about a response",
      { assertions: [{ type: "body_contains", value: "a" }] },
      "a tls check does not have",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("tls", { host: "a.example", ...config }).join("\n")).toContain(message);
  });
});

describe("dns", () => {
  it("has the documented defaults", () => {
    expect(withDefaults("dns", { domain: "a.example" })).toEqual({
      domain: "a.example",
      recordType: "A",
      transport: "udp",
      timeoutMs: 10_000,
      expectedRcode: "NOERROR",
      assertions: [],
    });
  });

  it.each([
    { resolver: "ns.example" },
    { resolver: "ns.example:5353" },
    { resolver: "192.0.2.1:53" },
    { resolver: "2001:db8::1" },
    { resolver: "[2001:db8::1]:5353" },
    { transport: "https", resolver: "https://dns.example/dns-query" },
    { domain: "192.0.2.1", recordType: "PTR" },
    { domain: "2001:db8::1", recordType: "PTR" },
    { domain: "_dmarc.a.example", recordType: "TXT" },
  ])("takes %o", (config) => {
    expect(problems("dns", { domain: "a.example", ...config })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["an address without PTR", { domain: "192.0.2.1" }, "records of type PTR only"],
    ["https without a resolver", { transport: "https" }, "expected the https:// URL of a resolver"],
    ["https with http", { transport: "https", resolver: "http://dns.example/" }, "expected the https:// URL"],
    ["a URL without https", { resolver: "https://dns.example/" }, "expected a host, or host:port"],
    ["a port beyond", { resolver: "ns.example:65536" }, "expected a host, or host:port"],
    [
      "answers with NXDOMAIN",
      { expectedRcode: "NXDOMAIN", expectCount: 0 },
      "only with expectedRcode NOERROR",
    ],
    ["an unknown type", { recordType: "ANY" }, "expected one of A, AAAA"],
    [
      "ssl_expiry",
      { assertions: [{ type: "ssl_expiry" }] },
      "ssl_expiry is about a certificate, which a dns check",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("dns", { domain: "a.example", ...config }).join("\n")).toContain(message);
  });
});

describe("websocket", () => {
  const target = { url: "wss://ticker.example.org/v1?x=1" };

  it("has the documented defaults", () => {
    expect(withDefaults("websocket", target)).toEqual({ ...target, timeoutMs: 10_000, assertions: [] });
  });

  it.each<[string, object]>([
    ["a user name and a password", { url: "ws://u:p@a.example:8080/" }],
    ["an address", { url: "ws://[::1]:8080" }],
    [
      "headers and subprotocols",
      { headers: { Origin: "https://a.example", Host: "b" }, subprotocols: ["v2", "v1"] },
    ],
    ["ssl_expiry with wss", { url: "WSS://a.example", assertions: [{ type: "ssl_expiry" }] }],
  ])("takes %s", (_name, config) => {
    expect(problems("websocket", { ...target, ...config })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["https", { url: "https://a.example/" }, "expected a valid ws:// or wss:// URL"],
    ["no slashes", { url: "ws:u:p@a.example" }, "expected a valid ws:// or wss:// URL"],
    ["a fragment", { url: "ws://a.example/#" }, "without #"],
    ["no host", { url: "ws://" }, "expected a valid ws:// or wss:// URL"],
    [
      "a header of the handshake",
      { headers: { "sec-websocket-key": "x" } },
      "the handshake sets this header itself",
    ],
    ["subprotocols as a header", { headers: { "Sec-WebSocket-Protocol": "v1" } }, "use subprotocols"],
    ["a header that frames a body", { headers: { "Transfer-Encoding": "chunked" } }, "or has none"],
    ["a subprotocol that is no token", { subprotocols: ["a b"] }, "not a valid name of a subprotocol"],
    ["a subprotocol twice", { subprotocols: ["a", "a"] }, "listed twice"],
    ["serverName without TLS", { url: "ws://a.example", serverName: "b.example" }, "only with a wss:// URL"],
    [
      "ssl_expiry without TLS",
      { url: "ws://a.example", assertions: [{ type: "ssl_expiry" }] },
      "which there is only with a wss:// URL",
    ],
    [
      "an assertion about a response",
      { assertions: [{ type: "status_code", value: 101 }] },
      "which a websocket check does not have",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("websocket", { ...target, ...config }).join("\n")).toContain(message);
  });
});

describe("ping", () => {
  const target = { host: "router.example.org" };

  it("has the documented defaults", () => {
    expect(withDefaults("ping", target)).toEqual({ ...target, timeoutMs: 10_000, count: 4, assertions: [] });
  });

  it("takes exactly the time that its packets need", () => {
    expect(problems("ping", { ...target, count: 20, timeoutMs: 3_900 })).toEqual([]);
    expect(problems("ping", { ...target, count: 1, timeoutMs: 100 })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["an option as a host", { host: "-f" }, "expected a host name"],
    ["too little time", { count: 20, timeoutMs: 3_899 }, "20 packets, 200 ms apart, need at least 3900 ms"],
    ["no packet", { count: 0 }, "smallest is 1"],
    ["many packets", { count: 21 }, "largest is 20"],
    ["a loss of everything", { maxLossPercent: 100 }, "largest is 99"],
    ["a round trip of no time", { maxRoundTripMs: 0 }, "must be more than 0"],
    ["a port", { port: 80 }, 'unknown field "port"'],
    [
      "an assertion about a certificate",
      { assertions: [{ type: "ssl_expiry" }] },
      "ssl_expiry is about a certificate, which a ping check does not have; such a check takes response_time",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("ping", { ...target, ...config }).join("\n")).toContain(message);
  });
});

describe("browser", () => {
  const page = { browserMode: "url", url: "https://example.org/" };

  it("has the documented defaults", () => {
    expect(withDefaults("browser", page)).toEqual({
      ...page,
      timeoutMs: 30_000,
      viewport: { width: 1280, height: 720 },
      screenshotMode: "every_step",
      videoEnabled: false,
      agentView: false,
    });
  });

  it("a viewport of one side has the other by default", () => {
    const viewportOf = (viewport: object) => withDefaults("browser", { ...page, viewport });
    expect(viewportOf({ width: 375 })).toMatchObject({ viewport: { width: 375, height: 720 } });
    expect(viewportOf({ height: 900 })).toMatchObject({ viewport: { width: 1280, height: 900 } });
  });

  it.each([
    ["no mode", {}, "required; expected one of scripted, url"],
    ["scripted without a script", { browserMode: "scripted" }, "required"],
    ["url without a URL", { browserMode: "url" }, "required"],
    ["a script in url mode", { ...page, script: "x" }, 'unknown field "script"'],
    ["timeoutMs 4999", { ...page, timeoutMs: 4_999 }, "smallest is 5000"],
    [
      "an unknown device",
      { ...page, device: "iPhone 13 Por" },
      'unknown device "iPhone 13 Por"; did you mean "iPhone 13 Pro"?',
    ],
    ["timeoutMs 120001", { ...page, timeoutMs: 120_001 }, "largest is 120000"],
    [
      "an unknown screenshot mode",
      { ...page, screenshotMode: "always" },
      "expected one of every_step, failure_only, disabled",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("browser", config).join("\n")).toContain(message);
  });
});

describe("mcp", () => {
  const endpoint = "https://example.org/mcp";

  it("has the documented defaults", () => {
    expect(withDefaults("mcp", { endpoint })).toEqual({
      endpoint,
      timeoutMs: 30_000,
      detectSchemaDrift: true,
      rejectUnauthenticated: false,
    });
  });

  it.each([
    ["no endpoint", {}, "required"],
    [
      "rejectUnauthenticated without auth",
      { endpoint, rejectUnauthenticated: true },
      "rejectUnauthenticated requires auth",
    ],
    ["a call without a tool", { endpoint, testCalls: [{}] }, "testCalls[0].toolName: required"],
    [
      "arguments that are no object",
      { endpoint, testCalls: [{ toolName: "a", arguments: [] }] },
      "testCalls[0].arguments: expected an object, got an array",
    ],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("mcp", config).join("\n")).toContain(message);
  });
});

describe("grpc", () => {
  const target = { host: "grpc.example.org", port: 443 };

  it("has the documented defaults", () => {
    expect(withDefaults("grpc", target)).toEqual({
      ...target,
      timeoutMs: 10_000,
      tls: false,
      service: "",
      assertions: [],
    });
  });

  it.each<[string, object]>([
    ["metadata", { metadata: { authorization: "Bearer x", "trace-bin": "AAEC/w==", X_Y: "" } }],
    ["references to secrets", { metadata: { "key-bin": "{{vault.KEY}}" } }],
    ["a service", { service: "shop.v1.Cart" }],
  ])("takes %s", (_name, config) => {
    expect(problems("grpc", { ...target, ...config })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["startTls", { tls: true, startTls: "smtp" }, 'unknown field "startTls"'],
    ["serverName without tls", { serverName: "a.example" }, "only with tls: true"],
    ["a pseudo-header", { metadata: { ":path": "/x" } }, "not a valid header name"],
    ["a name with a sign", { metadata: { "a|b": "x" } }, "letters, digits"],
    ["the protocol's own name", { metadata: { "GRPC-Timeout": "1S" } }, "begin with grpc-"],
    ["a header of the call", { metadata: { "Content-Type": "x" } }, "the call sets content-type itself"],
    ["a name twice", { metadata: { a: "1", A: "2" } }, "is there twice"],
    ["a binary value that is none", { metadata: { "a-bin": "%%" } }, "expected Base64"],
    ["a value beyond ASCII", { metadata: { a: "ü" } }, "expected printable ASCII"],
    ["a line break", { metadata: { a: "x\r\nb: c" } }, "not a valid header value"],
    ["a service that is too long", { service: "x".repeat(1_025) }, "at most 1024 characters"],
    [
      "an assertion about a response",
      { assertions: [{ type: "body_contains", value: "x" }] },
      "which a grpc check does not have; such a check takes response_time and ssl_expiry",
    ],
    ["ssl_expiry without tls", { assertions: [{ type: "ssl_expiry" }] }, "only with tls: true"],
  ])("%s is refused", (_name, config, message) => {
    expect(problems("grpc", { ...target, ...config }).join("\n")).toContain(message);
  });
});
