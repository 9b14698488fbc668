import { newId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { createSecretBox } from "../../platform/db/secret-box.ts";
import {
  ACKNOWLEDGE_LINK_LIFETIME_MS,
  type AcknowledgeGrant,
  acknowledgeLinkOf,
  stateOfLink,
  verifyAcknowledgeToken,
} from "./acknowledge-link.ts";

const KEY = "k".repeat(32);
const grant: AcknowledgeGrant = {
  incidentId: newId("incident"),
  channelId: newId("channel"),
  issuedAtMs: Date.parse("2026-06-01T12:00:00.000Z"),
};
const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";
const token = tokenOf(acknowledgeLinkOf(createSecretBox(KEY), "https://svc.example", grant));

describe("a token", () => {
  it("is verified under the key that signed it, also once that is a former one, and under no other", () => {
    expect(verifyAcknowledgeToken(createSecretBox(KEY), token)).toEqual(grant);
    expect(verifyAcknowledgeToken(createSecretBox("n".repeat(32), [KEY]), token)).toEqual(grant);
    expect(verifyAcknowledgeToken(createSecretBox("n".repeat(32)), token)).toBeUndefined();
    expect(token.length).toBeLessThan(256);
  });

  it("of which any part was altered is none", () => {
    const [incident = "", channel = "", issued = "", signature = ""] = token.split(".");
    const altered = [
      "",
      "...",
      "a.b.c.d",
      [newId("incident"), channel, issued, signature].join("."),
      [incident, newId("channel"), issued, signature].join("."),
      [incident, channel, Number(issued) + ACKNOWLEDGE_LINK_LIFETIME_MS, signature].join("."),
      [incident, channel, issued].join("."),
      [incident, channel, issued, ""].join("."),
      [incident, channel, issued, signature.slice(0, -2)].join("."),
      [incident, channel, issued, signature, ""].join("."),
      [incident, channel, issued, "A".repeat(43)].join("."),
    ];
    for (const one of altered)
      expect([one, verifyAcknowledgeToken(createSecretBox(KEY), one)]).toEqual([one, undefined]);
  });

  it("of another purpose is none, though the service signed it", () => {
    const secrets = createSecretBox(KEY);
    const text = token.split(".").slice(0, 3).join(".");
    const other = `${text}.${secrets.sign("dispatch-token", text).toString("base64url")}`;
    expect(verifyAcknowledgeToken(secrets, other)).toBeUndefined();
  });
});

it.each([
  ["open, unchanged since", "open", undefined, 0, "usable"],
  ["reopened, which the message says", "open", 0, 0, "usable"],
  ["reopened after the message", "open", 1, 2, "gone"],
  ["acknowledged since", "acknowledged", 1, 2, "acknowledged"],
  ["resolved since", "resolved", 1, 2, "gone"],
  ["closed since", "closed", 1, 2, "gone"],
  ["the last instant", "open", undefined, ACKNOWLEDGE_LINK_LIFETIME_MS - 1, "usable"],
  ["too late", "open", undefined, ACKNOWLEDGE_LINK_LIFETIME_MS, "gone"],
  ["too late, and acknowledged", "acknowledged", 1, ACKNOWLEDGE_LINK_LIFETIME_MS, "gone"],
] as const)("a link of an incident that is %s", (_, state, changedAfterMs, laterMs, expected) => {
  const { issuedAtMs } = grant;
  const lastChangeMs = changedAfterMs === undefined ? undefined : issuedAtMs + changedAfterMs;
  expect(stateOfLink(grant, { state, lastChangeMs }, issuedAtMs + laterMs)).toBe(expected);
});
