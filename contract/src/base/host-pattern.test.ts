import { describe, expect, it } from "vitest";
import { hostMatcher, hostPatternSchema } from "./host-pattern.ts";

describe("a host pattern", () => {
  it.each([
    ["cdn.example.com", "cdn.example.com"],
    ["CDN.Example.COM", "cdn.example.com"],
    ["cdn.example.com.", "cdn.example.com"],
    ["*.Example.com", "*.example.com"],
    ["*.com", "*.com"],
    ["localhost", "localhost"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["*.bücher.example", "*.xn--bcher-kva.example"],
    ["a_b.example", "a_b.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["[::1]", "[::1]"],
    ["[0:0::1]", "[::1]"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ])("%s is stored as %s", (text, stored) => {
    expect(hostPatternSchema.parse(text)).toBe(stored);
  });

  it.each([
    ["", "expected a host"],
    ["*", "only taken at the beginning"],
    ["*.", "expected a host"],
    ["*.*.example.com", "only taken at the beginning"],
    ["cdn*.example.com", "only taken at the beginning"],
    ["cdn.*.com", "only taken at the beginning"],
    ["https://cdn.example.com", "without scheme"],
    ["cdn.example.com/script.js", "without scheme, path"],
    ["me@cdn.example.com", "user"],
    ["cdn.example.com:8443", "without a port"],
    ["*.127.0.0.1", "an address has no hosts below it"],
    ["*.[::1]", "an address has no hosts below it"],
    ["[::1", "expected a host"],
    ["a..example", "expected a host"],
    [".example", "expected a host"],
    ["-a.example", "expected a host"],
    ["a b.example", "expected a host"],
    ["a%2eb", "expected a host"],
    [`${"a".repeat(64)}.example`, "63"],
    [`${"a.".repeat(127)}example`, "253"],
    ["x".repeat(5_000), "expected a host"],
  ])("%s is refused with the reason", (text, reason) => {
    const { error } = hostPatternSchema.safeParse(text);
    expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining(reason)]);
  });
});

describe("the patterns of a host", () => {
  const find = hostMatcher(
    ["cdn.example.com", "*.example.com", "*.com", "127.0.0.1", "localhost"].map((hostPattern) => ({
      hostPattern,
    })),
  );
  it.each([
    ["cdn.example.com", ["cdn.example.com", "*.example.com", "*.com"]],
    ["cdn.example.com.", ["cdn.example.com", "*.example.com", "*.com"]],
    ["a.b.example.com", ["*.example.com", "*.com"]],
    ["example.com", ["*.com"]],
    ["badexample.com", ["*.com"]],
    ["example.com.evil.org", []],
    ["127.0.0.1", ["127.0.0.1"]],
    ["localhost", ["localhost"]],
    ["com", []],
    ["", []],
  ])("%s are %j", (host, patterns) => {
    expect(find(host).map(({ hostPattern }) => hostPattern)).toEqual(patterns);
  });
});
