/** Field rules that several check types share. */
import * as z from "zod";
import { closedObject } from "./objects.ts";

/** An http(s) URL. The field is named in the message by its path. */
export const httpUrlSchema = z
  .string()
  .max(8192, "a URL has at most 8192 characters")
  .refine(isHttpUrl, "expected a valid http:// or https:// URL");

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && hostname !== "";
}

/** RFC 9110 field name (token). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 field value: no control characters but tab; Latin-1 at most. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const HEADER_VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f\u0100-\uffff]*$/;

/** A header name. */
export const headerNameSchema = z
  .string()
  .min(1, "a header name has at least one character")
  .max(256, "a header name has at most 256 characters")
  .regex(HEADER_NAME, "not a valid header name");

/** Request headers: name to value, at most 100. */
export const headersSchema = z
  .record(
    headerNameSchema,
    z
      .string()
      .max(16_384, "a header value has at most 16384 characters")
      .regex(HEADER_VALUE, "not a valid header value"),
  )
  .refine((headers) => Object.keys(headers).length <= 100, "at most 100 headers");

/** Credentials that HTTP and MCP checks send. */
export const authSchema = z.discriminatedUnion("type", [
  closedObject({ type: z.literal("basic"), username: z.string().max(4096), password: z.string().max(4096) }),
  closedObject({
    type: z.literal("bearer"),
    token: z.string().min(1).max(16_384).regex(HEADER_VALUE, "not a valid header value"),
  }),
  closedObject({
    type: z.literal("api-key"),
    header: headerNameSchema.default("X-API-Key"),
    value: z.string().min(1).max(16_384).regex(HEADER_VALUE, "not a valid header value"),
  }),
]);
export type Auth = z.infer<typeof authSchema>;

/** The user agents that a check can present itself as (vendors' documented AI crawlers). */
export const PERSONA_IDS = [
  "vendor1-bot",
  "vendor1-user",
  "vendor1-searchbot",
  "vendor2-bot",
  "vendor2-user",
  "vendor2-searchbot",
  "vendor3-bot",
  "vendor3-user",
] as const;
export const personaIdSchema = z.enum(PERSONA_IDS);
export type PersonaId = z.infer<typeof personaIdSchema>;

/** A list without duplicates; the message names the first one that appears twice. */
export function uniqueItems<T extends string>(items: readonly T[], context: z.RefinementCtx): void {
  const seen = new Set<T>();
  for (const [index, item] of items.entries()) {
    if (seen.has(item))
      context.addIssue({ code: "custom", path: [index], message: `"${item}" is listed twice` });
    seen.add(item);
  }
}
