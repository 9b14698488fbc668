/** Builds measurements for tests of the rules that judge them. */
import { gzipSync } from "node:zlib";
import type { TlsFacts } from "@svc/contract";
import type { Measurement } from "../src/assertions/define.ts";
import { ResponseBody } from "../src/http/body.ts";
import { ResponseHeaders } from "../src/http/headers.ts";

const NOW_MS = Date.UTC(2026, 0, 1);

/** A 200 answer of http://example.test/ with what a test adds. */
export async function aMeasurement(facts: {
  body?: string | Buffer;
  gzip?: string;
  headers?: string[];
  wasCut?: boolean;
  totalMs?: number;
  certificateDaysLeft?: number;
}): Promise<Measurement> {
  const wire = facts.gzip === undefined ? Buffer.from(facts.body ?? "") : gzipSync(facts.gzip);
  const headers = new ResponseHeaders([
    ...(facts.headers ?? []),
    ...(facts.gzip === undefined ? [] : ["Content-Encoding", "gzip"]),
  ]);
  const url = new URL("http://example.test/");
  const tls = facts.certificateDaysLeft === undefined ? undefined : someTlsFacts(facts.certificateDaysLeft);
  const response = { url, method: "GET", httpStatusCode: 200, headers };
  const body = new ResponseBody({
    ...response,
    tls,
    chunks: [wire],
    wireBytes: wire.length,
    joinedChunks: 0,
    wasCut: facts.wasCut ?? false,
  });
  await body.prepare();
  return {
    url,
    timing: { totalMs: facts.totalMs ?? 1 },
    tls,
    nowMs: NOW_MS,
    response: { ...response, body },
  };
}

function someTlsFacts(daysLeft: number): TlsFacts {
  return {
    host: "example.test",
    fingerprintSha256: "00",
    issuer: "CN=Test",
    subject: "CN=example.test",
    subjectAltNames: ["example.test"],
    validFrom: new Date(0).toISOString(),
    validTo: new Date(NOW_MS + daysLeft * 86_400_000).toISOString(),
    isTrusted: true,
    isSelfSigned: false,
    protocol: "TLSv1.3",
    cipher: "TLS_AES_128_GCM_SHA256",
  };
}
