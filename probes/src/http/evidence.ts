/** Makes the evidence that a failed run keeps of its response. */
import type { ResultDetail } from "@svc/contract";
import { storableText } from "../base/storable-text.ts";
import { BodyUnreadable, type ResponseBody } from "./body.ts";
import type { HttpResponse } from "./response.ts";

/** Largest part of the decoded body that the evidence holds. */
const EVIDENCE_BYTES_MAX = 64 * 1024;
/** Longer header values are cut in the evidence. */
const HEADER_CHARACTERS_MAX = 4_096;

/**
 * Returns the headers and the first 64 KiB of the body.
 * @param body must be prepared
 */
export function evidenceOf(
  response: HttpResponse,
  body: ResponseBody,
): NonNullable<ResultDetail["response"]> {
  const { text, bytes, isWhole } = shownBody(body);
  const headers = Object.entries(response.headers.toRecord());
  return {
    url: response.url.href,
    httpStatusCode: response.httpStatusCode,
    headers: Object.fromEntries(
      headers.map(([name, value]) => [name, storableText(value.slice(0, HEADER_CHARACTERS_MAX))]),
    ),
    body: text,
    bodyBytes: bytes,
    wasTruncated: !isWhole,
  };
}

function shownBody(body: ResponseBody): { text: string; bytes: number; isWhole: boolean } {
  try {
    const text = storableText(body.textStart(EVIDENCE_BYTES_MAX));
    return { text, bytes: body.size, isWhole: body.isWhole && body.size <= EVIDENCE_BYTES_MAX };
  } catch (error) {
    if (error instanceof BodyUnreadable) return { text: "", bytes: 0, isWhole: false };
    throw error;
  }
}
