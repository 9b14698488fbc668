/** How a check gets to its target when not directly: through an HTTP proxy. Fields that several check types have. */
import * as z from "zod";

const PROXY_URL_CHARACTERS_MAX = 2_048;

/** Characters of credentials (RFC 7617): none of control. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CREDENTIAL = /^[^\u0000-\u001f\u007f]*$/;

/** True for the URL of a proxy: where it listens, and nothing that a proxy has no use for or that would be a secret. */
function isProxyUrl(text: string): boolean {
  if (text.includes("{{") || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password, pathname } = new URL(text);
  const isBare = username === "" && password === "" && pathname === "/" && !/[?#]/.test(text);
  return protocol === "http:" && hostname !== "" && isBare;
}

/** The way through an HTTP proxy: fields of every check type that connects by TCP. */
export const proxyFields = {
  proxyUrl: z
    .string()
    .max(PROXY_URL_CHARACTERS_MAX, {
      error: `at most ${PROXY_URL_CHARACTERS_MAX} characters`,
      abort: true,
    })
    .refine(
      isProxyUrl,
      "expected http://host:port, without path; user name and password have fields of their own",
    )
    .optional()
    .describe("HTTP proxy that the check connects through, as http://host:port. Absent: directly."),
  proxyUsername: z
    .string()
    .min(1, "at least 1 character")
    .max(1_024, "at most 1024 characters")
    .regex(CREDENTIAL, "has a character that no user name can have")
    .regex(/^[^:]*$/, "a user name has no colon")
    .optional()
    .describe("User name for a proxy that asks for credentials (basic authentication)."),
  proxyPassword: z
    .string()
    .max(4_096, "at most 4096 characters")
    .regex(CREDENTIAL, "has a character that no password can have")
    .optional()
    .describe("Password of proxyUsername."),
};

/** A configuration that may name a proxy. */
interface WithProxy {
  proxyUrl?: string | undefined;
  proxyUsername?: string | undefined;
  proxyPassword?: string | undefined;
}

/** Adds an issue for credentials without a proxy, and for half of the credentials; for `superRefine`. */
export function proxyWithCredentials(config: WithProxy, context: z.RefinementCtx): void {
  const needs = (field: keyof WithProxy, given: keyof WithProxy) => {
    if (config[given] !== undefined && config[field] === undefined)
      context.addIssue({ code: "custom", path: [field], message: `required with ${given}` });
  };
  needs("proxyPassword", "proxyUsername");
  needs("proxyUsername", "proxyPassword");
  needs("proxyUrl", "proxyUsername");
}
