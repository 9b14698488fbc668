import { describe, expect, it } from "vitest";
import { checkTypes } from "./registry.ts";

type Config = Record<string, unknown>;

const problems = (type: "dns" | "tcp" | "websocket" | "multistep", config: Config) =>
  (checkTypes.get(type).configSchema.safeParse(config).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );
const dns = (config: Config) => problems("dns", { domain: "example.org", ...config });
const step = (fields: Config) =>
  problems("multistep", { steps: [{ name: "A", url: "https://a.test/", ...fields }] });

describe("expectations of DNS that can never hold", () => {
  it.each<[string, Config, RegExp]>([
    [
      "no answers with one among them",
      { expectCount: 0, expectContains: ["192.0.2.1"] },
      /^expectCount: is 0, but expectContains has 1/,
    ],
    [
      "one answer with two",
      { expectCount: 1, expectEquals: ["192.0.2.1", "192.0.2.2"] },
      /^expectCount: is 1, but expectEquals has 2/,
    ],
    [
      "three answers with two",
      { expectCount: 3, expectEquals: ["192.0.2.1", "192.0.2.2"] },
      /^expectCount: is 3, but expectEquals has 2/,
    ],
    [
      "others among them",
      { expectEquals: ["192.0.2.1"], expectContains: ["192.0.2.2"] },
      /^expectContains: "192.0.2.2" is not in expectEquals/,
    ],
    [
      "a word for A",
      { expectContains: ["foo"] },
      /^expectContains: "foo" is never an answer of type A; expected an IPv4 address/,
    ],
    ["IPv6 for A", { expectEquals: ["::1"] }, /^expectEquals: "::1" is never/],
    ["leading zeros for A", { expectEquals: ["192.0.2.01"] }, /^expectEquals: /],
    ["IPv4 for AAAA", { recordType: "AAAA", expectEquals: ["192.0.2.1"] }, /an IPv6 address/],
    [
      "MX without preference",
      { recordType: "MX", expectContains: ["mail.example.org"] },
      /preference and host/,
    ],
    [
      "SRV without port",
      { recordType: "SRV", expectContains: ["1 2 sip.example.org"] },
      /priority, weight, port/,
    ],
    ["a name with a space", { recordType: "CNAME", expectContains: ["a b"] }, /a name/],
    ["SOA in part", { recordType: "SOA", expectContains: ["ns1.example.org"] }, /five numbers/],
    [
      "CAA without quotes",
      { recordType: "CAA", expectContains: ["0 issue ca.example"] },
      /flags, tag and value/,
    ],
  ])("are refused: %s", (_name, config, message) => {
    expect(dns(config)).toEqual([expect.stringMatching(message)]);
  });

  it.each<[string, Config]>([
    ["the number of different answers", { expectCount: 2, expectEquals: ["192.0.2.1", "192.0.2.2"] }],
    [
      "a part of those that are expected",
      { expectEquals: ["192.0.2.1", "192.0.2.2"], expectContains: ["192.0.2.2"] },
    ],
    ["more than those among them", { expectCount: 5, expectContains: ["192.0.2.1"] }],
    ["no answers", { expectCount: 0 }],
    [
      "one address in two spellings",
      { recordType: "AAAA", expectCount: 1, expectEquals: ["2001:DB8::1", "2001:db8:0::1"] },
    ],
    [
      "MX in other letters",
      { recordType: "MX", expectEquals: ["10 Mail.Example.org."], expectContains: ["10 mail.example.org"] },
    ],
    ["any text", { recordType: "TXT", expectCount: 3, expectEquals: ["v=spf1 -all"] }],
    ["CAA", { recordType: "CAA", expectContains: ['0 issue "ca.example; a=b"'] }],
    ["SOA", { recordType: "SOA", expectContains: ["ns1.a.test. admin.a.test. 1 7200 3600 1209600 300"] }],
    ["a secret", { expectContains: ["{{vault.ADDRESS}}"] }],
  ])("are taken: %s", (_name, config) => {
    expect(dns(config)).toEqual([]);
  });
});

describe("regular expressions that are none", () => {
  const REFUSED = ["(", "(?i)a", "[z-a]", "a**", "\\"];
  it.each(REFUSED)("are refused in every type: %s", (pattern) => {
    const refusal = expect.stringContaining("not a regular expression of JavaScript: ");
    expect(problems("tcp", { host: "a.test", port: 1, expectMatches: pattern })).toEqual([refusal]);
    expect(problems("websocket", { url: "ws://a.test/", expectMatches: pattern })).toEqual([refusal]);
    expect(step({ extract: [{ from: "regex", name: "a", pattern }] })).toEqual([refusal]);
    expect(step({ extract: [{ from: "header", header: "X-A", name: "a", pattern }] })).toEqual([refusal]);
  });

  it("are those without a secret: with one they are read when it is filled in", () => {
    for (const pattern of ["^a+$", "(?<name>b)", "{{vault.A}}", "({{vault.A}}", "a{2}", "{"])
      expect(problems("tcp", { host: "a.test", port: 1, expectMatches: pattern })).toEqual([]);
  });

  it("are read in time that grows with their length", () => {
    const startedMs = performance.now();
    for (const unit of ["(", "(a+)+", "a{1000}", "(?<a", "[", "(?:", "\\k<a>", "(?=a)*", "a|"])
      problems("tcp", { host: "a.test", port: 1, expectMatches: unit.repeat(16_384 / unit.length) });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe("paths and assertions of steps that can never hold", () => {
  it.each(["$.a[*]", "$.[", "a..b[?(@.x)]"])("a path that is not supported is refused: %s", (path) => {
    expect(step({ extract: [{ from: "json_path", name: "a", path }] })).toEqual([
      expect.stringMatching(/^steps\.0\.extract\.0\.path: unsupported syntax/),
    ]);
  });

  it("an assertion about a certificate is refused where a step never meets one", () => {
    const assertions = [{ type: "ssl_expiry", daysBeforeExpiry: 7 }];
    expect(step({ url: "http://a.test/", followRedirects: false, assertions })).toEqual([
      expect.stringMatching(/^steps\.0\.assertions\.0: ssl_expiry is about a certificate/),
    ]);
    expect(step({ url: "http://a.test/", assertions })).toEqual([]);
    expect(step({ followRedirects: false, assertions })).toEqual([]);
  });
});
