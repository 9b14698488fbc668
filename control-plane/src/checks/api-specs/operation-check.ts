/** Derives a check from an operation, or the reason why there can be none. Pure. */
import {
  type CreateCheck,
  createCheckSchema,
  type GenerateFromSpec,
  HTTP_METHODS,
  parseInput,
  type SpecId,
  vaultNamesIn,
  withoutTrailingSlashes,
} from "@svc/contract";
import type { SpecOperation } from "@svc/openapi";
import { credentialsOf, type RequestCredentials } from "./operation-credentials.ts";

/** Settings that all checks of one generation share. */
export type GenerationPlan = Omit<GenerateFromSpec, "confirm"> & { specId: SpecId };

const NAME_LENGTH_MAX = 255;

/** Returns `METHOD /path/template`, as assertions name operations. */
export function operationPathOf({ method, path }: Pick<SpecOperation, "method" | "path">): string {
  return `${method} ${path}`;
}

/** Returns the body of the check, valid by the contract; or the reason why the operation gets none. */
export function checkOfOperation(
  operation: SpecOperation,
  plan: GenerationPlan,
): { check: CreateCheck } | { reason: string } {
  const request = requestOf(operation, plan);
  if ("reason" in request) return request;
  const operationPath = operationPathOf(operation);
  const { assertion, ...redirects } = expectedStatus(operation.responses);
  const parsed = parseInput(createCheckSchema, {
    name: operationPath.slice(0, NAME_LENGTH_MAX),
    type: "http",
    locations: plan.locations,
    frequencySeconds: plan.frequencySeconds,
    httpConfig: {
      ...request,
      ...redirects,
      assertions: [
        assertion,
        {
          type: "openapi_conformance",
          specId: plan.specId,
          operationPath,
          validateHeaders: plan.validateHeaders,
        },
      ],
    },
  });
  if (parsed.success) return { check: parsed.value };
  const messages = Object.values(parsed.details.fieldErrors).flat();
  return { reason: `the check would not be valid: ${messages.join("; ")}` };
}

interface OperationRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  auth?: RequestCredentials["auth"];
  body?: string;
}

function requestOf(
  operation: SpecOperation,
  { methods, credentials: given }: GenerationPlan,
): OperationRequest | { reason: string } {
  const { method, parameters, requestBody } = operation;
  if (!HTTP_METHODS.some((known) => known === method)) return { reason: `HTTP checks don't send ${method}` };
  if (!methods.some((wanted) => wanted === method))
    return { reason: `${method} is not among the methods to generate for (${methods.join(", ")})` };
  // A document must not choose which secrets are sent to the servers that it names.
  if (vaultNamesIn(operation).length > 0)
    return { reason: "the document refers to secrets by {{vault.NAME}}, which only the request may" };
  const credentials = credentialsOf(operation, given);
  if ("reason" in credentials) return credentials;
  const missing = parameters.find(({ required, sample }) => required && sample === undefined);
  if (missing)
    return {
      reason: `the ${missing.in} parameter "${missing.name}" has no example, default or enum in the document`,
    };
  if (requestBody?.required && requestBody.sample === undefined)
    return { reason: "the required body has no example in the document" };
  const server = operation.servers.find((url) => /^https?:\/\/[^{}]+$/i.test(url));
  if (server === undefined)
    return {
      reason: `its server has no full address: ${operation.servers.join(", ") || "none is described"}`,
    };
  const path = filledPath(operation);
  if (path === undefined) return { reason: "its path has a parameter that is not described" };
  const headers = headersOf(operation, credentials);
  return {
    url: withoutTrailingSlashes(server) + path + queryOf(operation, credentials),
    method,
    ...(credentials.auth && { auth: credentials.auth }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(requestBody?.required && requestBody.sample !== undefined ? { body: requestBody.sample } : {}),
  };
}

function required(operation: SpecOperation, within: string) {
  return operation.parameters.flatMap((parameter) =>
    parameter.in === within && parameter.required && parameter.sample !== undefined
      ? [{ name: parameter.name, sample: parameter.sample }]
      : [],
  );
}

function filledPath(operation: SpecOperation): string | undefined {
  const samples = new Map(required(operation, "path").map(({ name, sample }) => [name, sample]));
  const filled = operation.path
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith("{") ? samples.get(part.slice(1, -1)) : encodeURI(part)));
  return filled.includes(undefined) ? undefined : filled.join("");
}

function queryOf(operation: SpecOperation, credentials: RequestCredentials): string {
  const pairs = [...required(operation, "query").map(({ sample }) => sample), ...credentials.query];
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

/** Headers that the document says are ignored as parameters are left out. */
const NOT_PARAMETERS = new Set(["accept", "content-type", "authorization"]);

function headersOf(operation: SpecOperation, credentials: RequestCredentials): Record<string, string> {
  const sent = new Set(Object.keys(credentials.headers).map((name) => name.toLowerCase()));
  const headers = required(operation, "header").filter(
    ({ name }) => !NOT_PARAMETERS.has(name.toLowerCase()) && !sent.has(name.toLowerCase()),
  );
  const cookies = [...required(operation, "cookie").map(({ sample }) => sample), ...credentials.cookies];
  const { requestBody } = operation;
  return {
    ...Object.fromEntries(headers.map(({ name, sample }) => [name, sample])),
    ...credentials.headers,
    ...(cookies.length > 0 ? { Cookie: cookies.join("; ") } : {}),
    ...(requestBody?.required && requestBody.contentType ? { "Content-Type": requestBody.contentType } : {}),
  };
}

/** Returns the assertion about success: the one 2xx that is described, else any status below 300 or 400. */
function expectedStatus(responses: readonly string[]): { assertion: object; followRedirects?: false } {
  const exact = responses.filter((status) => /^2\d\d$/.test(status)).map(Number);
  const isRange = responses.some((status) => /^2XX$/i.test(status));
  if (exact.length === 1 && !isRange) return { assertion: statusCode("equals", exact[0]) };
  if (exact.length > 1 || isRange) return { assertion: statusCode("less_than", 300) };
  const redirects = responses.filter((status) => /^3\d\d$/.test(status)).map(Number);
  // An operation that only redirects is judged by the redirect, not by its target.
  if (redirects.length > 0) {
    const [first] = redirects;
    return {
      assertion: redirects.length === 1 ? statusCode("equals", first) : statusCode("less_than", 400),
      followRedirects: false,
    };
  }
  return { assertion: statusCode("less_than", 400) };
}

function statusCode(operator: string, value: number | undefined): object {
  return { type: "status_code", operator, value };
}
