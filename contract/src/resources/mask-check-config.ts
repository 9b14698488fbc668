/** A check's configuration as it may be shown and logged: change log, deploy plans, the command line's output. Pure. */
import { REDACTED } from "../base/redacted.ts";

/** Headers whose values are no credentials. */
const ORDINARY_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-type",
  "user-agent",
]);
/** What of an auth block is no credential. */
const ORDINARY_AUTH_FIELDS = new Set(["type", "header"]);
const CREDENTIAL_PARAMETER =
  /^(.*[-_])?(key|apikey|token|secret|password|passwd|pwd|sig|signature|auth|credential|credentials)$/i;

/** Whether a request header's value is to be hidden: all are but a few ordinary ones. */
export function isSecretHeader(name: string): boolean {
  return !ORDINARY_HEADERS.has(name.toLowerCase());
}

/** Whether a field of an auth block is to be hidden. */
export function isSecretAuthField(name: string): boolean {
  return !ORDINARY_AUTH_FIELDS.has(name);
}

/** Whether a query parameter of this name holds a credential. */
export function isSecretParameter(name: string): boolean {
  return CREDENTIAL_PARAMETER.test(name);
}

/** A copy: credentials, request bodies and scripts are replaced; of URLs see {@link maskUrl}. */
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

/** Arguments of a tool are anything; what is called like a credential is one, however deep. */
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

/** Without the URL's user name, password and the values of credential-like query parameters; what is no URL stays. */
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
