import { expect, it } from "vitest";
import { refusalOf, type TrafficLimits } from "./traffic-limits.ts";

const LIMITS: TrafficLimits = {
  origins: ["https://shop.example"],
  readOrigins: ["https://cdn.example"],
  allowsWrites: false,
};
const WRITING = { ...LIMITS, allowsWrites: true };
const ANYWHERE = { ...LIMITS, readOrigins: null };

it.each([
  [LIMITS, "GET", "https://shop.example/cart?x=1", undefined],
  [LIMITS, "HEAD", "https://cdn.example/a.js", undefined],
  [LIMITS, "OPTIONS", "https://shop.example/", undefined],
  [LIMITS, "POST", "https://shop.example/cart", /only read/],
  [LIMITS, "CONNECT", "https://shop.example/", /only read/],
  [LIMITS, "get", "https://shop.example/", /only read/],
  [LIMITS, "GET", "https://evil.example/", /not among the origins/],
  [LIMITS, "GET", "http://shop.example/", /not among the origins/],
  [LIMITS, "GET", "https://shop.example:8443/", /not among the origins/],
  [LIMITS, "GET", "https://shop.example.evil.example/", /not among the origins/],
  [WRITING, "DELETE", "https://shop.example/cart", undefined],
  [WRITING, "POST", "https://cdn.example/", /at https:\/\/shop\.example alone/],
  [WRITING, "POST", "https://evil.example/", /not among the origins/],
  [ANYWHERE, "GET", "https://any.example/", undefined],
  [ANYWHERE, "POST", "https://any.example/", /only read/],
] as const)("%o: %s %s", (limits, method, url, refusal) => {
  const found = refusalOf(limits, { method, url: new URL(url), isUpgrade: false });
  if (refusal === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(refusal);
});

it("another protocol is refused also where writes are allowed", () => {
  const upgrade = { method: "GET", url: new URL("https://shop.example/live"), isUpgrade: true };
  expect(refusalOf(LIMITS, upgrade)).toMatch(/upgrade.*can't use it/);
  expect(refusalOf(WRITING, upgrade)).toMatch(/upgrade.*can't use it/);
});
