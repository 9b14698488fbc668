/** Heads and certificates whose size a target chooses are read in linear time. */
import type { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { tlsFactsOf } from "../connection/tls-facts.ts";
import { CookieJar } from "./cookies.ts";
import { ResponseHeaders } from "./headers.ts";

const GROWTH_MAX = 2.5;
const url = new URL("https://shop.example/a");

it.each<[string, (size: number) => string[]]>([
  ["many cookies", (size) => Array.from({ length: size }, (_, nth) => `c${nth}=${nth}`)],
  ["one cookie of many attributes", (size) => [`c=1${"; a=b".repeat(100 * size)}`]],
  ["one cookie of many equals signs", (size) => [`c=1; path${"=/".repeat(100 * size)}`]],
  ["one cookie of blanks", (size) => [`c=1;${" ".repeat(200 * size)}x`]],
])("%s", (_name, headersOf) => {
  const growth = growthAtDoubleSize([2_000, 4_000, 8_000], headersOf, (headers) =>
    new CookieJar().store(url, headers, 0),
  );
  expect(growth).toBeLessThan(GROWTH_MAX);
});

it("a head of many headers", () => {
  const growth = growthAtDoubleSize(
    [4_000, 8_000, 16_000],
    (size) => Array.from({ length: size }, (_, nth) => [`x-${nth % 500}`, "value"]).flat(),
    (raw) => {
      const headers = new ResponseHeaders(raw);
      headers.get("x-1");
      return headers.toRecord();
    },
  );
  expect(growth).toBeLessThan(GROWTH_MAX);
});

let certificates = 0;
/** A certificate that was not seen before, whose names are the text. */
function aCertificate(subjectAltName: string): X509Certificate {
  const certificate = {
    fingerprint256: `${certificates++}`,
    issuer: "CN=a\n".repeat(subjectAltName.length / 10),
    subject: "CN=b",
    subjectAltName,
    validFrom: "Jan 1 00:00:00 2026 GMT",
    validTo: "Jan 1 00:00:00 2027 GMT",
    checkHost: () => "a",
  };
  return certificate as unknown as X509Certificate;
}

const SOCKET = {
  getProtocol: () => "TLSv1.3",
  getCipher: () => ({ name: "cipher", standardName: "cipher", version: "TLSv1.3" }),
};

it.each<[string, string]>([
  ["many names", "DNS:a.example, "],
  ["quoted names", 'DNS:"a\\\\, b", '],
  ["a quote without an end", '"\\\\"'],
  ["commas", ","],
])("a certificate of %s", (_name, piece) => {
  const growth = growthAtDoubleSize(
    // Texts that fit the processor's cache.
    [5_000, 10_000, 20_000, 40_000],
    (size) => piece.repeat(size),
    (names) => tlsFactsOf(SOCKET, aCertificate(names), { host: "a.example", chainError: undefined }),
  );
  expect(growth).toBeLessThan(GROWTH_MAX);
});
