import { describe, expect, it } from "vitest";
import { ResponseHeaders } from "./headers.ts";
import { type HttpResponse, keepChunk } from "./response.ts";

function aResponse(): HttpResponse {
  return {
    url: new URL("http://example.test/"),
    method: "GET",
    httpStatusCode: 200,
    headers: new ResponseHeaders([]),
    chunks: [],
    wireBytes: 0,
    joinedChunks: 0,
    wasCut: false,
    tls: undefined,
  };
}

describe("keepChunk", () => {
  it("joins a body that comes byte by byte, so that it takes few objects", () => {
    const response = aResponse();
    const bytes = Buffer.alloc(100_000, "0123456789");
    for (const byte of bytes) keepChunk(response, Buffer.from([byte]), { keepsBody: true });
    expect(response.chunks.length).toBeLessThan(1_200);
    expect(Buffer.concat(response.chunks).equals(bytes)).toBe(true);
    expect(response.wireBytes).toBe(bytes.length);
  });

  it("keeps only the beginning for a run that looks into no body", () => {
    const response = aResponse();
    for (let index = 0; index < 100; index++) keepChunk(response, Buffer.alloc(16_384), { keepsBody: false });
    expect(response.wireBytes).toBe(1_638_400);
    expect(Buffer.concat(response.chunks).length).toBe(65_536);
  });
});
