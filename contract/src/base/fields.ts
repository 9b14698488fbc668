/** Field rules that several check types share. */
import * as z from "zod";
import { closedObject } from "./objects.ts";
import { excerpt } from "./text.ts";

/** Schema of an http(s) URL. The path of an issue names the field, so the message does not. */
export const httpUrlSchema = z
  .string()
  // A longer text is refused before it is taken apart.
  .max(8192, { error: "a URL has at most 8192 characters", abort: true })
  .refine(isHttpUrl, "expected a valid http:// or https:// URL");

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (protocol === "http:" || protocol === "https:") && hostname !== "";
}

/** Schema of the base of an API's URLs: nothing that a path put behind it would lose, and no credential. */
export const baseUrlSchema = httpUrlSchema.refine(
  isBaseUrl,
  "expected a URL without user name, password, query and fragment",
);

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "" && !/[?#]/.test(text);
}

/** A field name (token) of RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A field value of RFC 9110: no control characters except tab; no characters beyond Latin-1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const HEADER_VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f\u0100-\uffff]*$/;

/** Schema of the name of a request header. */
export const headerNameSchema = z
  .string()
  .min(1, "a header name has at least one character")
  .max(256, "a header name has at most 256 characters")
  .regex(HEADER_NAME, "not a valid header name");

/** Schema of request headers: values by names, at most 100. */
export const headersSchema = z
  .record(
    headerNameSchema,
    z
      .string()
      .max(16_384, "a header value has at most 16384 characters")
      .regex(HEADER_VALUE, "not a valid header value"),
  )
  .refine((headers) => Object.keys(headers).length <= 100, "at most 100 headers");

/**
 * Returns the schema of a token that is sent in a header or a URL's path: visible ASCII characters, without the ones that end a path.
 * @param noun its name with the article, for messages: `a bot token`
 */
export function tokenSchema(noun: string, charactersMax = 512): z.ZodString {
  return z
    .string()
    .min(1, `${noun} has at least 1 character`)
    .max(charactersMax, `${noun} has at most ${charactersMax} characters`)
    .regex(/^[!-~]*$/, `${noun} has no spaces and only ASCII characters`)
    .regex(/^[^/?#\\]*$/, `${noun} has none of / ? # \\`);
}

/** Schema of where a request's body may go a second time, when a redirect keeps it. */
export const resendBodySchema = z
  .enum(["same_origin", "any"])
  .describe(
    "Where a redirect may send the request body again: to the same origin only, which is the default, or to any.",
  );

/** Schema of the credentials that HTTP and MCP checks send. */
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
/** Credentials that a check sends: basic, bearer token or API key header. */
export type Auth = z.infer<typeof authSchema>;

/** Personas: user agents under which a check can send its requests (the AI crawlers that vendors document). */
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
/** Schema of the id of an AI crawler that a check can present as. */
export const personaIdSchema = z.enum(PERSONA_IDS);
/** Id of an AI crawler that a check can present as. */
export type PersonaId = z.infer<typeof personaIdSchema>;

/** Number of repeated items that are pointed out. */
const REPEATED_ITEMS_MAX = 20;

/** Adds an issue for each of the first items that appeared earlier in the list; for `superRefine`. */
export function uniqueItems<T extends string>(items: readonly T[], context: z.RefinementCtx): void {
  const seen = new Set<T>();
  let repeated = 0;
  for (const [index, item] of items.entries()) {
    if (seen.has(item)) {
      context.addIssue({ code: "custom", path: [index], message: `"${excerpt(item)}" is listed twice` });
      if (++repeated === REPEATED_ITEMS_MAX) return;
    }
    seen.add(item);
  }
}
