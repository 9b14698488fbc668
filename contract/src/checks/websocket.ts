import * as z from "zod";
import { assertionsAbout } from "../assertions/registry.ts";
import { headersSchema } from "../base/fields.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { validRegularExpression } from "../base/regular-expression.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { certificateWithKey, connectionTimeoutSchema, directTlsFields } from "./host-fields.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";
import { tlsWhereNeeded } from "./tls-where-needed.ts";

const urlSchema = z
  .string()
  // A longer text is refused before it is taken apart.
  .max(8192, { error: "a URL has at most 8192 characters", abort: true })
  .refine(isWebSocketUrl, "expected a valid ws:// or wss:// URL, without #");

function isWebSocketUrl(text: string): boolean {
  // Credentials are masked in URLs that are written with both slashes.
  return /^wss?:\/\/[^#]*$/i.test(text) && URL.canParse(text) && new URL(text).hostname !== "";
}

/** True for the URL of a WebSocket over TLS. */
function isSecure(url: unknown): boolean {
  return typeof url === "string" && /^wss:/i.test(url);
}

/** Headers that the handshake sets itself (RFC 6455, 4.1), or that frame a body. */
const OWN_HEADER =
  /^(?:connection|upgrade|content-length|transfer-encoding|trailer|te|expect|sec-websocket-.*)$/i;

const handshakeHeadersSchema = headersSchema.superRefine((headers, context) => {
  for (const name of Object.keys(headers))
    if (OWN_HEADER.test(name))
      context.addIssue({
        code: "custom",
        path: [name],
        message: /^sec-websocket-protocol$/i.test(name)
          ? "use subprotocols"
          : "the handshake sets this header itself, or has none",
      });
});

const subprotocolSchema = z
  .string()
  .max(256, "at most 256 characters")
  .regex(/^[!#$%&'*+\-.0-9A-Z^_`|a-z~]+$/, "not a valid name of a subprotocol");

const configFields = closedObject({
  url: urlSchema,
  headers: handshakeHeadersSchema.optional().describe("Headers of the handshake."),
  subprotocols: z
    .array(subprotocolSchema)
    .max(20, "at most 20 subprotocols")
    .refine((names) => new Set(names).size === names.length, "a subprotocol is listed twice")
    .optional()
    .describe(
      "Subprotocols that are offered, the preferred one first; the server has to choose one of them.",
    ),
  timeoutMs: connectionTimeoutSchema,
  ...directTlsFields,
  ...proxyFields,
  send: z
    .string()
    .min(1, "send has at least 1 character")
    .max(65_536, "at most 65536 characters")
    .optional()
    .describe("Text message to send once the connection is open."),
  expectContains: z
    .string()
    .min(1, "expectContains has at least 1 character")
    .max(65_536, "at most 65536 characters")
    .optional()
    .describe("Text that one of the first messages must contain; case-sensitive."),
  expectMatches: z
    .string()
    .min(1, "expectMatches has at least 1 character")
    .max(16_384, "at most 16384 characters")
    .superRefine(validRegularExpression)
    .optional()
    .describe(
      "JavaScript regular expression that one of the first messages must match; with expectContains, the message that contains it.",
    ),
  assertions: assertionsAbout("websocket", ["time", "certificate"]),
});

/** Configuration of a check of type websocket. */
const websocketConfigSchema = configFields
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .superRefine((config, context) =>
    tlsWhereNeeded(directTlsFields, "with a wss:// URL")({ ...config, tls: isSecure(config.url) }, context),
  )
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);

/** A WebSocket connection, and what is said over it. */
export const websocketCheck = defineCheckType({
  type: "websocket",
  title: "WebSocket",
  summary: "a WebSocket connection, and the messages that come over it",
  configKey: "websocketConfig",
  configSchema: websocketConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  idleSettings: ({ url, headers = {} }) => {
    const seen = new Map<string, string>();
    const problems: { path: string[]; message: string }[] = [];
    for (const name of Object.keys(headers)) {
      if (seen.has(name.toLowerCase()))
        problems.push({
          path: ["headers", name],
          message: "is there twice: names are the same in upper and lower case",
        });
      seen.set(name.toLowerCase(), name);
    }
    const authorization = seen.get("authorization");
    if (authorization !== undefined && /^wss?:\/\/[^/?#]*@/i.test(url))
      problems.push({
        path: ["headers", authorization],
        message: "the URL has a user name or password, which are sent as this header; give one of both",
      });
    return problems;
  },
  inheritedFields: ["timeoutMs", "assertions"],
  targetField: "url",
  secretFields: {
    url: "url",
    headers: "headers",
    send: "content",
    clientKey: "credential",
    proxyPassword: "credential",
  },
  secretDestinations: {
    url: ["url", "proxyUrl"],
    headers: ["url", "proxyUrl"],
    send: ["url", "proxyUrl"],
    clientKey: ["url", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "WebSocket URL to watch: ",
    fields: (url) => ({ url: url.replace(/^http/i, "ws") }),
  },
  canRunLocally: true,
  runCost: { seconds: 0.5 },
  whyNoCertificate: ({ url }) => (isSecure(url) ? undefined : "the check's URL begins with ws://"),
  detailFields: {
    websocketJson: z.object({
      httpStatusCode: z
        .number()
        .optional()
        .describe("HTTP status of the handshake's answer; 101 when it succeeded."),
      subprotocol: z.string().optional().describe("Subprotocol that the server chose."),
      messages: z
        .array(z.string())
        .describe("The first messages that came, as text, up to 4,096 characters."),
      receivedMessages: z.number().describe("Messages that came."),
      receivedBytes: z.number().describe("Bytes of these messages."),
      closeCode: z.number().optional().describe("Code with which the server closed the connection."),
    }),
  },
});
