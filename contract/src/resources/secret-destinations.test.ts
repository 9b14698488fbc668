import { describe, expect, it } from "vitest";
import { DomainError, problemsOf } from "../base/errors.ts";
import { keepMaskedChannelConfig, maskChannelConfigForRead } from "../channels/mask-channel-config.ts";
import { channelTypes } from "../channels/registry.ts";
import { checkTypes } from "../checks/registry.ts";
import { keepMaskedCheckConfig, maskCheckConfigForRead } from "./mask-check-config.ts";

type Config = Record<string, unknown>;

/** Returns why a masked configuration that is sent back with changes is refused; undefined when it is not. */
function refusalOf(keep: () => unknown): string | undefined {
  try {
    keep();
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return problemsOf(error.details as never).join("; ") || error.message;
  }
}

const checkRefusal = (type: string, stored: Config, change: Config) =>
  refusalOf(() =>
    keepMaskedCheckConfig(type, { ...maskCheckConfigForRead(type, stored), ...change }, stored),
  );

const CERTIFICATE = { clientCertificate: "c", clientKey: "k" };
const PROXY = { proxyUrl: "http://proxy.test:3128", proxyUsername: "u", proxyPassword: "p" };
const OTHER_PROXY = { proxyUrl: "http://evil.test:3128" };
const HTTP = { url: "https://a.test/x?page=1", method: "GET", headers: { "X-Token": "t" } };
const TCP = { host: "a.test", port: 443, tls: true };
const STEP = { name: "A", url: "https://a.test/x", auth: { type: "bearer", token: "t" } };

describe("a masked secret of a check", () => {
  it.each<[string, string, Config, Config, string]>([
    ["headers, other host", "http", HTTP, { url: "https://b.test/x" }, "configJson.headers"],
    ["headers, other port", "http", HTTP, { url: "https://a.test:444/x" }, "configJson.headers"],
    ["headers, no TLS", "http", HTTP, { url: "http://a.test/x" }, "configJson.headers"],
    ["headers, a proxy", "http", HTTP, OTHER_PROXY, "configJson.headers"],
    [
      "auth",
      "http",
      { url: "https://a.test/", auth: { type: "bearer", token: "t" } },
      { url: "https://b.test/" },
      "configJson.auth",
    ],
    ["body", "http", { url: "https://a.test/", body: "b" }, { url: "https://b.test/" }, "configJson.body"],
    ["the URL's own, a proxy", "http", { url: "https://u:p@a.test/" }, OTHER_PROXY, "configJson.url"],
    ["proxy password", "tcp", { ...TCP, ...PROXY }, OTHER_PROXY, "configJson.proxyPassword"],
    ["proxy password", "multistep", { steps: [], ...PROXY }, OTHER_PROXY, "configJson.proxyPassword"],
    ["client key, other host", "tcp", { ...TCP, ...CERTIFICATE }, { host: "b.test" }, "configJson.clientKey"],
    [
      "client key, other port",
      "tls",
      { host: "a.test", port: 1, ...CERTIFICATE },
      { port: 2 },
      "configJson.clientKey",
    ],
    [
      "send, other host",
      "tcp",
      { host: "a.test", port: 1, send: "s" },
      { host: "b.test" },
      "configJson.send",
    ],
    ["send, no TLS", "tcp", { ...TCP, send: "s" }, { tls: false }, "configJson.send"],
    ["send, TLS left out", "tcp", { ...TCP, send: "s" }, { tls: undefined }, "configJson.send"],
    [
      "metadata, other port",
      "grpc",
      { ...TCP, metadata: { "x-t": "t" } },
      { port: 444 },
      "configJson.metadata",
    ],
    ["metadata, no TLS", "grpc", { ...TCP, metadata: { "x-t": "t" } }, { tls: false }, "configJson.metadata"],
    ["metadata, a proxy", "grpc", { ...TCP, metadata: { "x-t": "t" } }, OTHER_PROXY, "configJson.metadata"],
    [
      "headers and send",
      "websocket",
      { url: "wss://a.test/", send: "s" },
      { url: "wss://b.test/" },
      "configJson.send",
    ],
    [
      "headers",
      "websocket",
      { url: "wss://a.test/", headers: { "X-T": "t" } },
      { url: "ws://a.test/" },
      "configJson.headers",
    ],
    [
      "auth",
      "mcp",
      { endpoint: "https://a.test/", auth: { type: "bearer", token: "t" } },
      { endpoint: "https://b.test/" },
      "configJson.auth",
    ],
    [
      "a step's, other host",
      "multistep",
      { steps: [STEP] },
      { steps: [{ ...STEP, auth: { type: "bearer", token: "***" }, url: "https://b.test/x" }] },
      "configJson.steps[0]",
    ],
    [
      "client key, a step elsewhere",
      "multistep",
      { steps: [{ name: "A", url: "https://a.test/" }], ...CERTIFICATE },
      {
        steps: [
          { name: "A", url: "https://a.test/" },
          { name: "B", url: "https://b.test/" },
        ],
      },
      "configJson.clientKey",
    ],
    [
      "client key, other resolver",
      "dns",
      { domain: "x.test", transport: "https", resolver: "https://a.test/q", ...CERTIFICATE },
      { resolver: "https://b.test/q" },
      "configJson.clientKey",
    ],
    [
      "client key, one more host",
      "browser",
      { browserMode: "scripted", script: "s", clientCertificateHosts: ["a.test"], ...CERTIFICATE },
      { script: "s", clientCertificateHosts: ["a.test", "b.test"] },
      "configJson.clientKey",
    ],
  ])("is not kept for another place: %s of %s", (_name, type, stored, change, path) => {
    expect(checkRefusal(type, stored, change)).toContain(
      `${path}: write the secret again, since it would go to another host`,
    );
  });

  it.each<[string, string, Config, Config]>([
    ["another path", "http", HTTP, { url: "https://a.test/y?page=2" }],
    ["another spelling", "http", HTTP, { url: "HTTPS://A.test:443/x" }],
    ["another method", "http", HTTP, { method: "POST" }],
    [
      "no proxy any more",
      "http",
      { ...HTTP, ...PROXY },
      { proxyUrl: undefined, proxyUsername: undefined, proxyPassword: undefined },
    ],
    [
      "ordinary headers, other host",
      "http",
      { url: "https://a.test/", headers: { Accept: "x" } },
      { url: "https://b.test/" },
    ],
    ["a secret written again", "http", HTTP, { url: "https://b.test/", headers: { "X-Token": "new" } }],
    [
      "no TLS before and after",
      "grpc",
      { host: "a.test", port: 1, tls: false, metadata: { "x-t": "t" } },
      { tls: undefined },
    ],
    ["the default port left out", "tls", { host: "a.test", port: 443, ...PROXY }, { port: undefined }],
    [
      "a new path of a step",
      "multistep",
      { steps: [STEP] },
      { steps: [{ ...STEP, auth: { type: "bearer", token: "***" }, url: "https://a.test/y" }] },
    ],
    [
      "a step elsewhere, without secrets",
      "multistep",
      { steps: [STEP] },
      {
        steps: [
          { ...STEP, auth: { type: "bearer", token: "***" } },
          { name: "B", url: "https://b.test/" },
        ],
      },
    ],
    [
      "fewer hosts",
      "browser",
      { browserMode: "scripted", script: "s", clientCertificateHosts: ["a.test", "b.test"], ...CERTIFICATE },
      { clientCertificateHosts: ["a.test"] },
    ],
  ])("is kept with %s, type %s", (_name, type, stored, change) => {
    expect(checkRefusal(type, stored, change)).toBeUndefined();
  });
});

describe("a masked secret of a channel", () => {
  const refusal = (stored: Config, change: Config) =>
    refusalOf(() => keepMaskedChannelConfig({ ...maskChannelConfigForRead(stored), ...change }, stored));
  it.each<[Config, Config, string]>([
    [
      { type: "slack", botToken: "t", channel: "C", apiUrl: "https://slack.com/api" },
      { apiUrl: "https://evil.test/api" },
      "botToken",
    ],
    [
      { type: "telegram", botToken: "t", chatId: "1", apiUrl: "https://api.telegram.org" },
      { apiUrl: "http://api.telegram.org" },
      "botToken",
    ],
    [{ type: "jsm", apiKey: "k", apiUrl: "https://a.test" }, { apiUrl: "https://a.test:444" }, "apiKey"],
    [
      { type: "ntfy", topicUrl: "https://a.test/topic", token: "t" },
      { topicUrl: "https://b.test/topic" },
      "token",
    ],
    [
      { type: "webhook", url: "https://a.test/x", headers: { A: "b" } },
      { url: "https://b.test/x" },
      "headers",
    ],
    [
      { type: "ticketing", instanceUrl: "https://a.test", username: "u", password: "p" },
      { instanceUrl: "https://b.test", username: "v" },
      "password",
    ],
    [{ type: "paging", routingKey: "r", serviceRegion: "us" }, { serviceRegion: "eu" }, "routingKey"],
  ])("is not kept for another place: %o with %o", (stored, change, field) => {
    expect(refusal(stored, change)).toContain(`channel.${field}: write the secret again`);
    expect(refusal(stored, {})).toBeUndefined();
  });
});

it("every secret field of every type of check and channel says where its secrets go", () => {
  for (const { type, secretFields, secretDestinations = {} } of checkTypes.members as readonly {
    type: string;
    secretFields: object;
    secretDestinations?: object;
  }[])
    expect([type, Object.keys(secretDestinations).sort()]).toEqual([type, Object.keys(secretFields).sort()]);
  for (const {
    type,
    secretFields,
    urlFields = [],
    secretDestinations = {},
  } of channelTypes.members as readonly {
    type: string;
    secretFields: object;
    urlFields?: readonly string[];
    secretDestinations?: object;
  }[])
    expect([type, Object.keys(secretDestinations).sort()]).toEqual([
      type,
      [...Object.keys(secretFields), ...urlFields].sort(),
    ]);
});
