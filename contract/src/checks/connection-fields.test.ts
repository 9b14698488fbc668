/** Tests the fields about a check's own connections, on every check type that has them. */
import { describe, expect, it } from "vitest";
import { maskCheckConfig } from "../resources/mask-check-config.ts";
import { type CheckType, checkTypes } from "./registry.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----";
const KEY = "-----BEGIN PRIVATE KEY-----\nMA==\n-----END PRIVATE KEY-----";
const PROXY = { proxyUrl: "http://proxy.example:3128", proxyUsername: "u", proxyPassword: "p" };
const OWN = { caCertificates: CERTIFICATE, clientCertificate: CERTIFICATE, clientKey: KEY };

/** Returns a configuration of the type that speaks TLS. */
function aSecureConfig(type: CheckType): Record<string, unknown> {
  const url = "https://shop.example/";
  const definition = checkTypes.get(type);
  const fields: Record<string, unknown> = { ...definition.starter.fields(url) };
  if ("tls" in definition.monitorFields) fields.tls = true;
  if ("transport" in definition.monitorFields) Object.assign(fields, { transport: "https", resolver: url });
  if ("script" in definition.monitorFields) Object.assign(fields, { browserMode: "url", url });
  return fields;
}

const problems = (type: CheckType, config: object) =>
  (checkTypes.get(type).configSchema.safeParse(config).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );

const typesWith = (field: string) =>
  checkTypes.members.filter(({ monitorFields }) => field in monitorFields).map(({ type }) => type);

it("all types that connect by TCP take a proxy and certificates of the check's own", () => {
  const byTcp = ["http", "browser", "mcp", "tcp", "tls", "dns", "grpc", "websocket", "multistep"];
  expect(typesWith("proxyUrl")).toEqual(byTcp);
  expect(typesWith("clientKey")).toEqual(byTcp);
});

it.each(typesWith("proxyUrl"))("%s takes a proxy with credentials, and hides the password", (type) => {
  const config = { ...aSecureConfig(type), ...PROXY };
  expect(problems(type, config)).toEqual([]);
  expect(problems(type, { ...config, proxyPassword: "{{vault.PROXY_PASSWORD}}" })).toEqual([]);
  expect(maskCheckConfig(type, config)).toMatchObject({ ...PROXY, proxyPassword: "***REDACTED***" });
});

it.each(typesWith("clientKey"))(
  "%s takes authorities and a client certificate, and hides the key",
  (type) => {
    const config = { ...aSecureConfig(type), ...OWN };
    expect(problems(type, config)).toEqual([]);
    expect(problems(type, { ...config, clientKey: "{{vault.CLIENT_KEY}}" })).toEqual([]);
    expect(maskCheckConfig(type, config)).toMatchObject({ ...OWN, clientKey: "***REDACTED***" });
    const { clientKey: _, ...keyless } = config as typeof config & typeof OWN;
    expect(problems(type, keyless)).toEqual(["clientKey: required with clientCertificate"]);
  },
);

it.each<[string, object, string]>([
  ["a proxy that speaks TLS", { proxyUrl: "https://proxy.example" }, "proxyUrl: expected http://host:port"],
  ["a SOCKS proxy", { proxyUrl: "socks5://proxy.example:1080" }, "proxyUrl: expected http://host:port"],
  ["credentials in the URL", { proxyUrl: "http://u:p@proxy.example" }, "have fields of their own"],
  ["a path", { proxyUrl: "http://proxy.example/x" }, "without path"],
  ["a query", { proxyUrl: "http://proxy.example/?" }, "without path"],
  ["no scheme", { proxyUrl: "proxy.example:3128" }, "proxyUrl: expected http://host:port"],
  [
    "a secret as the host",
    { proxyUrl: "http://{{vault.PROXY}}:3128" },
    "proxyUrl: expected http://host:port",
  ],
  ["a long URL", { proxyUrl: `http://${"a".repeat(3_000)}` }, "at most 2048 characters"],
  ["a user name alone", { ...PROXY, proxyPassword: undefined }, "proxyPassword: required with proxyUsername"],
  ["a password alone", { ...PROXY, proxyUsername: undefined }, "proxyUsername: required with proxyPassword"],
  ["credentials alone", { ...PROXY, proxyUrl: undefined }, "proxyUrl: required with proxyUsername"],
  ["a colon in the user name", { ...PROXY, proxyUsername: "a:b" }, "proxyUsername: a user name has no colon"],
  [
    "a line break in the password",
    { ...PROXY, proxyPassword: "a\r\nX: y" },
    "proxyPassword: has a character",
  ],
])("a proxy is refused: %s", (_name, fields, message) => {
  for (const type of typesWith("proxyUrl"))
    expect(problems(type, { ...aSecureConfig(type), ...fields }).join("\n")).toContain(message);
});

it.each<[CheckType, object]>([
  ["http", { url: "http://shop.example/", followRedirects: false }],
  ["multistep", { steps: [{ name: "a", url: "http://shop.example/", followRedirects: false }] }],
])("certificates that no request can use are refused: %s", (type, config) => {
  const unused = "does nothing: no request is one of https://, and no redirect is followed";
  expect(problems(type, { ...config, ...OWN })).toEqual(
    Object.keys(OWN).map((field) => `${field}: ${unused}`),
  );
});

it("dns takes them with transport https alone", () => {
  const config = { domain: "shop.example", ...OWN, ...PROXY };
  expect(problems("dns", config)).toEqual(
    Object.keys({ ...OWN, ...PROXY }).map((field) => `${field}: only with transport https`),
  );
});

describe("a browser check shows its certificate to hosts that are known", () => {
  const { caCertificates, ...certificate } = OWN;
  const url = { browserMode: "url", url: "https://shop.example/" };
  const script = { browserMode: "scripted", script: "await page.goto('https://shop.example/')" };
  const hosts = { clientCertificateHosts: ["shop.example", "2001:db8::1"] };
  it.each<[string, object, string[]]>([
    ["a page", { ...url, ...certificate }, []],
    ["a page and more hosts", { ...url, ...certificate, ...hosts }, []],
    ["a script with hosts", { ...script, ...certificate, ...hosts }, []],
    ["a script with authorities alone", { ...script, caCertificates }, []],
    [
      "a script without hosts",
      { ...script, ...certificate },
      ["clientCertificateHosts: required with clientCertificate: a script may go anywhere"],
    ],
    ["hosts alone", { ...script, ...hosts }, ["clientCertificate: required with clientCertificateHosts"]],
    [
      "no host",
      { ...script, ...certificate, clientCertificateHosts: [] },
      ["clientCertificateHosts: at least one host"],
    ],
  ])("%s", (_name, config, expected) => expect(problems("browser", config)).toEqual(expected));

  it.each(["https://shop.example", "shop.example:443", "shop.example/x", "*.shop.example", ""])(
    "%s is no host",
    (host) => {
      const config = { ...script, ...certificate, clientCertificateHosts: [host] };
      expect(problems("browser", config).join()).toContain("clientCertificateHosts.0: expected a host name");
    },
  );
});
