/** Puts the credentials that an operation needs into its request, as references to secrets of the team. Pure. */
import type { GenerateFromSpec } from "@svc/contract";
import type { SpecOperation } from "@svc/openapi";

type Given = GenerateFromSpec["credentials"];
type Scheme = NonNullable<SpecOperation["schemes"]>[number];

/** The parts of a request that carry credentials. */
export interface RequestCredentials {
  headers: Record<string, string>;
  /** `name=value` pairs. */
  query: string[];
  cookies: string[];
  auth?: { type: "bearer"; token: string } | { type: "basic"; username: string; password: string };
}

/**
 * Returns the credentials of the first set of schemes for which secrets were given; none where the operation needs none.
 * @returns `reason`: why it can't be called
 */
export function credentialsOf(
  { security, schemes }: Pick<SpecOperation, "security" | "schemes">,
  given: Given,
): RequestCredentials | { reason: string } {
  const none: RequestCredentials = { headers: {}, query: [], cookies: [] };
  if (security.length === 0) return none;
  const wanted = security.map((names) => names.join(" + ")).join(" or ");
  const set = security.find((names) => names.every((name) => Object.hasOwn(given, name)));
  if (!set) return { reason: `needs credentials (${wanted})` };
  if (!schemes)
    return {
      reason: `needs credentials (${wanted}); upload or fetch the spec again, which tells how they are sent`,
    };
  for (const name of set) {
    const scheme = schemes.find((one) => one.name === name);
    const problem = scheme ? addCredential(none, scheme, given[name]) : "the document does not describe it";
    if (problem) return { reason: `the credential of "${name}" can't be sent: ${problem}` };
  }
  return none;
}

/** Adds one credential. @returns why it can't be sent; undefined: it was added */
function addCredential(
  to: RequestCredentials,
  scheme: Scheme,
  secret: Given[string] | undefined,
): string | undefined {
  const isBasic = scheme.scheme === "basic";
  if (to.auth && scheme.type !== "apiKey") return "another credential is sent as Authorization already";
  if (typeof secret === "object") {
    if (!isBasic) return "it takes the name of one secret, not username and password";
    to.auth = { type: "basic", username: reference(secret.username), password: reference(secret.password) };
    return undefined;
  }
  if (secret === undefined) return "no secret was named";
  if (isBasic) return "HTTP Basic takes username and password, with a secret each";
  if (scheme.type === "apiKey") return addKey(to, scheme, reference(secret));
  const isToken = scheme.scheme === "bearer" || ["oauth2", "openIdConnect"].includes(scheme.type);
  if (!isToken)
    return `schemes of type ${[scheme.type, scheme.scheme].filter(Boolean).join(" ") || "?"} are not known`;
  to.auth = { type: "bearer", token: reference(secret) };
  return undefined;
}

/** A token of RFC 9110, 5.6.2: the names of headers and cookies. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function addKey(to: RequestCredentials, scheme: Scheme, value: string): string | undefined {
  const { parameter } = scheme;
  if (!parameter) return "the document names no parameter for it";
  if (scheme.in !== "query" && !TOKEN.test(parameter))
    return `"${parameter}" can't be the name of a header or cookie`;
  if (scheme.in === "header") to.headers[parameter] = value;
  else if (scheme.in === "query") to.query.push(`${encodeURIComponent(parameter)}=${value}`);
  else if (scheme.in === "cookie") to.cookies.push(`${parameter}=${value}`);
  else return "the document does not say whether it is a header, a cookie or a part of the query";
  return undefined;
}

function reference(name: string): string {
  return `{{vault.${name}}}`;
}
