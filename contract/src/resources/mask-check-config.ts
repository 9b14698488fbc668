/** Masking of secrets in a check's configuration for the change log, deploy plans and the command line's output. Pure. */
import { REDACTED } from "../base/redacted.ts";

/** Headers whose values are not credentials. */
const ORDINARY_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-type",
  "user-agent",
]);
/** Fields of an auth block that are not credentials. */
const ORDINARY_AUTH_FIELDS = new Set(["type", "header"]);
const CREDENTIAL_PARAMETER =
  /^(.*[-_])?(key|apikey|token|secret|password|passwd|pwd|sig|signature|auth|credential|credentials)$/i;

/** True when the value of a request header must be hidden. All are hidden except a few ordinary headers. */
export function isSecretHeader(name: string): boolean {
  return !ORDINARY_HEADERS.has(name.toLowerCase());
}

/** True when a field of an auth block must be hidden. */
export function isSecretAuthField(name: string): boolean {
  return !ORDINARY_AUTH_FIELDS.has(name);
}

/** True when a query parameter of this name holds a credential. */
export function isSecretParameter(name: string): boolean {
  return CREDENTIAL_PARAMETER.test(name);
}

/** Returns a copy whose credentials, request bodies and scripts are replaced; URLs are masked by {@link maskUrl}. */
export function maskCheckConfig(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([field, value]) => [field, maskField(field, value)]));
}

function maskField(field: string, value: unknown): unknown {
  switch (field) {
    case "auth":
      return maskValues(value, isSecretAuthField);
    case "headers":
      return maskValues(value, isSecretHeader);
    case "body":
    case "script":
      return value === undefined ? undefined : REDACTED;
    case "testCalls":
      return Array.isArray(value) ? value.map(maskArguments) : value;
    case "url":
    case "endpoint":
      return typeof value === "string" ? maskUrl(value) : value;
    default:
      return value;
  }
}

/** Masks the arguments of a tool call, which may have any shape: each text under a credential's name, at any depth. */
function maskArguments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskArguments);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === "string" && item !== "" && isSecretParameter(name) ? REDACTED : maskArguments(item),
    ]),
  );
}

function maskValues(value: unknown, isSecret: (name: string) => boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecret(name) ? REDACTED : item]),
  );
}

/**
 * Returns the URL with its user name, its password and the values of credential-like query parameters replaced. A text that
 * is not a URL is returned unchanged.
 */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const parameters = [...url.searchParams.keys()].filter(isSecretParameter);
  if (url.username === "" && url.password === "" && parameters.length === 0) return text;
  if (url.username !== "") url.username = "redacted";
  if (url.password !== "") url.password = "redacted";
  for (const name of parameters) url.searchParams.set(name, "redacted");
  return url.href;
}
