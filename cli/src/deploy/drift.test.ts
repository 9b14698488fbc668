import { createSecrets, driftOf, fieldChanges, fingerprint } from "@svc/as-code/plan";
import type { DeployedKind } from "@svc/contract";
import { describe, expect, it } from "vitest";

const REDACTED = "***REDACTED***";
const secrets = createSecrets();
const deployedFields = { name: "a", url: "https://a.example.com" };
const deployed = {
  kind: "check" as const,
  name: "a",
  resourceId: "chk_1",
  updatedAt: "t1",
  labels: ["x"],
  hash: fingerprint("check", deployedFields, secrets),
};

it.each<
  [string, { isKnown?: boolean; local: boolean; remote: boolean; labels?: string[] }, string | undefined]
>([
  ["neither changed", { local: false, remote: false }, undefined],
  ["the config changed", { local: true, remote: false }, undefined],
  ["the service changed", { local: false, remote: true }, "drift"],
  ["both changed", { local: true, remote: true }, "conflict"],
  ["only the service's labels changed", { local: false, remote: false, labels: ["y"] }, "drift"],
  ["the labels changed there, the config here", { local: true, remote: false, labels: [] }, "conflict"],
  ["never deployed from here", { isKnown: false, local: true, remote: true }, undefined],
])("drift: %s", (_title, { isKnown = true, local, remote, labels = ["x"] }, expected) => {
  const after = local ? { ...deployedFields, url: "https://b.example.com" } : deployedFields;
  const now = { kind: "check" as const, updatedAt: remote ? "t2" : "t1", labels, after, secrets };
  expect(driftOf(isKnown ? deployed : undefined, now)).toBe(expected);
});

describe("the fields of a change that are shown", () => {
  const hidden = (field: string) => ({ field, oldValue: REDACTED, newValue: REDACTED, redacted: true });
  const known = createSecrets();
  known.add("s3cret");
  it.each<[string, DeployedKind, Record<string, unknown>, Record<string, unknown>, unknown[]]>([
    [
      "an ordinary field",
      "check",
      { method: "GET" },
      { method: "PUT" },
      [{ field: "method", oldValue: "GET", newValue: "PUT" }],
    ],
    ["what is new", "check", {}, { device: "x" }, [{ field: "device", oldValue: null, newValue: "x" }]],
    ["what is gone", "check", { device: "x" }, {}, [{ field: "device", oldValue: "x", newValue: null }]],
    ["a known secret in any field", "check", { name: "n" }, { name: "s3cret" }, [hidden("name")]],
    [
      "a header by its name",
      "check",
      { headers: { A: "1", Accept: "1" } },
      { headers: { A: "2", Accept: "2" } },
      [hidden("headers.A"), { field: "headers.Accept", oldValue: "1", newValue: "2" }],
    ],
    ["a header that is new", "check", {}, { headers: { "X-A": "1" } }, [hidden("headers.X-A")]],
    [
      "auth but its type and header",
      "check",
      { auth: { type: "bearer", token: "1" } },
      { auth: { type: "api-key", header: "X", value: "2" } },
      [
        { field: "auth.type", oldValue: "bearer", newValue: "api-key" },
        { field: "auth.header", oldValue: null, newValue: "X" },
        hidden("auth.value"),
        hidden("auth.token"),
      ],
    ],
    [
      "an argument of a tool that is called like a credential",
      "check",
      { testCalls: [{ toolName: "t", arguments: { login: { password: "1" }, q: 1 } }] },
      { testCalls: [{ toolName: "t", arguments: { login: { password: "2" }, q: 1 } }] },
      [hidden("testCalls")],
    ],
    [
      "such an argument beside another that changes",
      "check",
      { testCalls: [{ toolName: "t", arguments: { token: "1", q: 1 } }] },
      { testCalls: [{ toolName: "t", arguments: { token: "2", q: 2 } }] },
      [
        {
          field: "testCalls",
          oldValue: [{ toolName: "t", arguments: { token: REDACTED, q: 1 } }],
          newValue: [{ toolName: "t", arguments: { token: REDACTED, q: 2 } }],
        },
        hidden("testCalls.credentials"),
      ],
    ],
    ["a body", "check", { body: "1" }, { body: "2" }, [hidden("body")]],
    ["a script", "check", { script: "1" }, { script: "2" }, [hidden("script")]],
    [
      "a URL without its credentials",
      "check",
      { url: "https://u:p@a.example.com/1?token=1" },
      { url: "https://u:p@a.example.com/2?token=1" },
      [
        {
          field: "url",
          oldValue: "https://***REDACTED***:***REDACTED***@a.example.com/1?token=***REDACTED***",
          newValue: "https://***REDACTED***:***REDACTED***@a.example.com/2?token=***REDACTED***",
        },
      ],
    ],
    [
      "only the credential of a URL",
      "check",
      { url: "https://a.example.com/?token=1" },
      { url: "https://a.example.com/?token=2" },
      [hidden("url")],
    ],
    [
      "path and credential of a URL",
      "check",
      { url: "https://a.example.com/1?accessToken=1" },
      { url: "https://a.example.com/2?accessToken=2" },
      [
        {
          field: "url",
          oldValue: `https://a.example.com/1?accessToken=${REDACTED}`,
          newValue: `https://a.example.com/2?accessToken=${REDACTED}`,
        },
        hidden("url.credentials"),
      ],
    ],
    [
      "an MCP endpoint like a URL",
      "check",
      { endpoint: "https://a.example.com/?key=1" },
      { endpoint: "https://a.example.com/?key=2" },
      [hidden("endpoint")],
    ],
    [
      "a webhook's origin only",
      "channel",
      { type: "webhook", url: "https://a.example.com/1" },
      { type: "webhook", url: "https://b.example.com/2" },
      [
        { field: "url", oldValue: "https://a.example.com", newValue: "https://b.example.com" },
        hidden("url.path"),
      ],
    ],
    [
      "a webhook's headers, ordinary ones too",
      "channel",
      { type: "webhook", headers: { "X-A": "1" } },
      { type: "webhook", headers: { "X-A": "2" } },
      [hidden("headers.X-A")],
    ],
    [
      "a chat's address",
      "channel",
      { type: "chat", webhookUrl: "1" },
      { type: "chat", webhookUrl: "2" },
      [hidden("webhookUrl")],
    ],
    [
      "a routing key",
      "channel",
      { type: "paging", routingKey: "1" },
      { type: "paging", routingKey: "2" },
      [hidden("routingKey")],
    ],
    [
      "a ticketing user and password",
      "channel",
      { type: "ticketing", username: "1", password: "1" },
      { type: "ticketing", username: "2", password: "2" },
      [hidden("username"), hidden("password")],
    ],
  ])("%s", (_title, kind, before, after, expected) => {
    expect(fieldChanges({ kind, before, after, secrets: known })).toEqual(expected);
  });
});

describe("a fingerprint", () => {
  const of = (fields: Record<string, unknown>) => fingerprint("check", fields, createSecrets());
  it("does not depend on the order of keys or on credentials", () => {
    expect(of({ a: { b: 1, c: 2 }, d: 3 })).toBe(of({ d: 3, a: { c: 2, b: 1 } }));
    expect(of({ auth: { type: "bearer", token: "1" } })).toBe(of({ auth: { type: "bearer", token: "2" } }));
  });
  it("differs with the content of a body", () => {
    expect(of({ body: "1" })).not.toBe(of({ body: "2" }));
  });
});
