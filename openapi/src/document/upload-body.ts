/** Request bodies that carry a document as a string in their field `content`. */
import { isObject } from "./pointer.ts";

/** The parsed body, and apart from it the bytes of its field `content`, if that is a string. */
export interface UploadBody {
  body: unknown;
  content?: Uint8Array<ArrayBuffer>;
}

/**
 * Parses a JSON request body and separates the document from it.
 * @throws SyntaxError when the body is not JSON
 */
export function parseUploadBody(bytes: Uint8Array): UploadBody {
  const body: unknown = JSON.parse(new TextDecoder("utf-8").decode(bytes));
  if (!isObject(body) || typeof body.content !== "string") return { body };
  const { content, ...rest } = body;
  return { body: rest, content: new TextEncoder().encode(content as string) };
}
