/** How a result lies in the spool: a JSON array in a fixed order, led by the version of that order. */
import type { ResultRecord } from "../model/result-record.ts";

const FORMAT_VERSION = 1;

export function encodeRecord(r: ResultRecord): Buffer {
  const columns: unknown[] = [
    FORMAT_VERSION,
    r.checkKey,
    r.locationKey,
    r.slotMs,
    r.startDelayMs,
    r.elapsedUs,
    r.status,
    r.httpStatusCode,
    r.responseTimeUs,
    r.dnsLookupUs,
    r.tcpConnectUs,
    r.tlsHandshakeUs,
    r.ttfbUs,
    r.contentTransferUs,
    r.traceId,
  ];
  if (r.detailJson !== "" || r.facts.length > 0) columns.push(r.detailJson, r.facts);
  return Buffer.from(JSON.stringify(columns));
}

/** @throws when the bytes are not a record of a known version */
export function decodeRecord(bytes: Uint8Array): ResultRecord {
  const columns: unknown = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  );
  if (!Array.isArray(columns) || columns[0] !== FORMAT_VERSION) throw new Error("not a spooled result");
  const [, checkKey, locationKey, slotMs, startDelayMs, elapsedUs, status, httpStatusCode, ...rest] = columns;
  const [responseTimeUs, dnsLookupUs, tcpConnectUs, tlsHandshakeUs, ttfbUs, contentTransferUs] = rest;
  const [, , , , , , traceId, detailJson = "", facts = []] = rest;
  return {
    checkKey,
    locationKey,
    slotMs,
    startDelayMs,
    elapsedUs,
    status,
    httpStatusCode,
    responseTimeUs,
    dnsLookupUs,
    tcpConnectUs,
    tlsHandshakeUs,
    ttfbUs,
    contentTransferUs,
    traceId,
    detailJson,
    facts,
  };
}
