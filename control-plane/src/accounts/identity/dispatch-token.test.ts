import { describe, expect, it } from "vitest";
import { createSecretBox } from "../../platform/db/secret-box.ts";
import { signDispatchToken, verifyDispatchToken } from "./dispatch-token.ts";

const secrets = createSecretBox("a-secret-key-that-only-tests-use-0123456789");
const grant = { checkKey: 7, locationKey: 3, slotMs: 1_780_000_000_000 };
const EXPIRES_AT_MS = 1_780_000_060_000;
const token = signDispatchToken(secrets, grant, EXPIRES_AT_MS);

describe("a dispatch token", () => {
  it.each([
    ["in its time", token, EXPIRES_AT_MS - 1, grant],
    ["at its end", token, EXPIRES_AT_MS, undefined],
    ["for another slot", token.replace(String(grant.slotMs), String(grant.slotMs + 1)), 0, undefined],
    ["with a longer life", token.replace(String(EXPIRES_AT_MS), String(EXPIRES_AT_MS + 1)), 0, undefined],
    ["without its signature", token.slice(0, token.lastIndexOf(".")), 0, undefined],
    ["nonsense", "rdt_", 0, undefined],
    ["an API key", `sk_${"0".repeat(64)}`, 0, undefined],
  ])("%s grants what it was made for, or nothing", (_name, text, nowMs, expected) =>
    expect(verifyDispatchToken(secrets, text, nowMs)).toEqual(expected),
  );

  it("signed under the former key still grants what it was made for", () => {
    const after = createSecretBox("another-secret-key-that-only-tests-use-0123", [
      "a-secret-key-that-only-tests-use-0123456789",
    ]);
    expect(verifyDispatchToken(after, token, 0)).toEqual(grant);
  });

  it("of another service grants nothing", () => {
    const other = createSecretBox("another-secret-key-that-only-tests-use-0123");
    expect(verifyDispatchToken(other, token, 0)).toBeUndefined();
  });
});
