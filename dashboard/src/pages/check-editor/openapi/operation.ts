/**
 * An operation of an OpenAPI document as the request of a check. Pure. Values come from the text itself: examples, defaults, the
 * first of an enumeration. Nothing is invented; what the text does not say is named, for the person to fill in.
 */
import { HTTP_METHODS, mayHaveBody } from "@svc/contract";
import { findOperation, type PastedOperation } from "./find-operation.ts";
import { isObject, type JsonObject, sampleOf } from "./samples.ts";

/** The fields of a check's configuration that an operation says something about. */
export interface OperationRequest {
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The status that a success answers. */
  expectedStatus?: number;
}

/** What an operation says, and what the person has to fill in or know. */
export interface ReadOperation {
  request: OperationRequest;
  /** Clauses, such as `the parameter "id" has no example`. */
  missing: string[];
}

/**
 * Returns the request of the operation that a pasted value holds.
 * @param currentUrl the check's URL so far: its origin stands in where the text names no server
 * @returns a sentence when there is no operation, or more than one
 */
export function requestOfOperation(value: unknown, currentUrl: string): ReadOperation | { problem: string } {
  const found = findOperation(value);
  if ("problem" in found) return found;
  const { operation, method } = found;
  if (method !== undefined && !HTTP_METHODS.some((known) => known === method))
    return { problem: `A check can't send ${method}; it sends ${HTTP_METHODS.join(", ")}.` };
  const missing: string[] = [];
  const parameters = parametersOf(found, missing);
  const media = method === undefined || mayHaveBody(method as never) ? bodyOf(found, missing) : undefined;
  const url = found.path === undefined ? undefined : urlOf(found, { parameters, currentUrl, missing });
  if (found.path === undefined) missing.push("its path, so that the URL is left as it was");
  if (method === undefined) missing.push("its method, so that the method is left as it was");
  if (needsCredentials(found)) missing.push("credentials, which the operation asks for");
  const headers = {
    ...acceptOf(found),
    ...(media && { "Content-Type": media.type }),
    ...Object.fromEntries(
      parameters.filter((one) => one.in === "header").map((one) => [one.name, one.value]),
    ),
  };
  const expectedStatus = statusOf(operation);
  if (expectedStatus === undefined) missing.push("the status of a success");
  return {
    request: {
      ...(method !== undefined && { method }),
      ...(url !== undefined && { url }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(media && { body: media.text }),
      ...(expectedStatus !== undefined && { expectedStatus }),
    },
    missing,
  };
}

interface Parameter {
  in: string;
  name: string;
  value: string;
}

/** Returns the required parameters that have a value. Those of the operation replace those of its path. */
function parametersOf({ operation, pathItem, root }: PastedOperation, missing: string[]): Parameter[] {
  const byName = new Map<string, JsonObject>();
  for (const { parameters } of [pathItem, operation])
    for (const one of Array.isArray(parameters) ? parameters : []) {
      const parameter = root.follow(one);
      if (isObject(parameter) && typeof parameter.name === "string" && typeof parameter.in === "string")
        byName.set(`${parameter.in} ${parameter.name}`, parameter);
    }
  return [...byName.values()].flatMap((parameter): Parameter[] => {
    const where = parameter.in as string;
    const name = parameter.name as string;
    if (where === "cookie" || IGNORED_HEADERS.has(name.toLowerCase())) return [];
    if (parameter.required !== true && where !== "path") return [];
    const sample = sampleOf(parameter, root);
    if (sample === undefined || typeof sample === "object") {
      missing.push(`a value of the ${where} parameter "${name}"`);
      return [];
    }
    return [{ in: where, name, value: String(sample) }];
  });
}

/** Header parameters that OpenAPI tells readers to ignore. */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);

function urlOf(
  { path = "", operation, pathItem, document }: PastedOperation,
  { parameters, currentUrl, missing }: { parameters: Parameter[]; currentUrl: string; missing: string[] },
): string {
  const server = [operation, pathItem, document].map(serverOf).find((url) => url !== undefined);
  const current = URL.canParse(currentUrl) ? new URL(currentUrl).origin : undefined;
  const base = server !== undefined && URL.canParse(server) ? server : joined(current, server);
  if (base === undefined) missing.push("its server: write the beginning of the URL");
  const filled = path.replaceAll(/\{([^{}]*)\}/g, (template, name: string) => {
    const value = parameters.find((one) => one.in === "path" && one.name === name)?.value;
    return value === undefined ? template : encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    parameters.filter((one) => one.in === "query").map(({ name, value }) => [name, value]),
  ).toString();
  return `${(base ?? "").replace(/\/$/, "")}${filled}${query === "" ? "" : `?${query}`}`;
}

/** Returns the server's URL with its variables filled in. It may be a path only. */
function serverOf(holder: JsonObject): string | undefined {
  const [server] = Array.isArray(holder.servers) ? holder.servers : [];
  if (!isObject(server) || typeof server.url !== "string") return undefined;
  const variables = isObject(server.variables) ? server.variables : {};
  return server.url.replaceAll(/\{([^{}]*)\}/g, (template, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable.default === "string" ? variable.default : template;
  });
}

function joined(origin: string | undefined, path: string | undefined): string | undefined {
  return origin !== undefined && path?.startsWith("/") ? origin + path : origin;
}

/** Returns the body that the text suggests, JSON before other kinds. */
function bodyOf(
  { operation, root }: PastedOperation,
  missing: string[],
): { type: string; text: string } | undefined {
  const body = root.follow(operation.requestBody);
  if (!isObject(body) || !isObject(body.content)) return undefined;
  const types = Object.keys(body.content);
  const type = types.find(isJson) ?? types[0];
  if (type === undefined) return undefined;
  const sample = isObject(body.content[type]) ? sampleOf(body.content[type] as JsonObject, root) : undefined;
  if (sample === undefined) {
    if (body.required === true) missing.push("an example of the body");
    return undefined;
  }
  if (typeof sample === "string" && !isJson(type)) return { type, text: sample };
  if (isJson(type)) return { type, text: JSON.stringify(sample, undefined, 2) };
  missing.push(`the body as ${type}: its example is no text`);
  return undefined;
}

const isJson = (type: string) => /^application\/([\w.-]+\+)?json\b/i.test(type);

/** Returns the header that asks for what a success answers. */
function acceptOf({ operation, root }: PastedOperation): Record<string, string> {
  const status = statusOf(operation);
  const responses = isObject(operation.responses) ? operation.responses : {};
  const response = status === undefined ? undefined : root.follow(responses[String(status)]);
  const types = isObject(response) && isObject(response.content) ? Object.keys(response.content) : [];
  const type = types.find(isJson) ?? types[0];
  return type === undefined ? {} : { Accept: type };
}

/** Returns the smallest status of a success that is named; 200 for `2XX`. */
function statusOf({ responses }: JsonObject): number | undefined {
  if (!isObject(responses)) return undefined;
  const named = Object.keys(responses);
  const statuses = named.filter((key) => /^2\d\d$/.test(key)).map(Number);
  if (statuses.length > 0) return Math.min(...statuses);
  return named.some((key) => /^2XX$/i.test(key)) ? 200 : undefined;
}

function needsCredentials({ operation, document }: PastedOperation): boolean {
  const security = operation.security ?? document.security;
  return (
    Array.isArray(security) &&
    security.length > 0 &&
    security.every((one) => isObject(one) && Object.keys(one).length > 0)
  );
}
