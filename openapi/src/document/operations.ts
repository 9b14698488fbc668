/** Summarizes a document: its operations, each with everything needed to call it. */

import { describeParameters, type SpecParameter } from "./parameters.ts";
import { escapeSegment, isObject, valueAt } from "./pointer.ts";
import { References } from "./references.ts";
import { describeRequestBody, type SpecRequestBody } from "./request-body.ts";
import { type SpecScheme, schemesOf, securityOf } from "./security.ts";
import { serverUrls } from "./servers.ts";
import { storable } from "./storable.ts";

/** The methods that OpenAPI 3.0 and 3.1 know, as path items spell them. */
export const OPENAPI_METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/** Longest path template: the longest that an assertion can name. */
const PATH_LENGTH_MAX = 4_000;

/** An operation of a document. */
export interface SpecOperation {
  /** Upper case. */
  method: string;
  /** The path template, e.g. `/pets/{petId}`. */
  path: string;
  operationId?: string;
  summary?: string;
  deprecated: boolean;
  /** Base URLs, most preferred first, variables filled with their defaults; may be relative. */
  servers: string[];
  parameters: SpecParameter[];
  requestBody?: SpecRequestBody;
  /** Sets of security scheme names, of which one set is needed; empty: the operation needs none. */
  security: string[][];
  /** The schemes that `security` names; absent where it is empty, and in summaries of earlier versions. */
  schemes?: SpecScheme[];
  /** Declared responses: `200`, `2XX`, `default`. */
  responses: string[];
}

/** Title and version of the API, and all its operations in the order of the document. */
export interface SpecSummary {
  title: string;
  version: string;
  openapiVersion: string;
  operations: SpecOperation[];
}

/** Returns the summary of a valid document. */
export function summarize(document: Record<string, unknown>): SpecSummary {
  const info = isObject(document.info) ? document.info : {};
  return {
    title: storable(info.title) ?? "",
    version: storable(info.version) ?? "",
    openapiVersion: storable(document.openapi) ?? "",
    operations: listOperations(document),
  };
}

function listOperations(document: Record<string, unknown>): SpecOperation[] {
  const references = new References(document);
  const operations: SpecOperation[] = [];
  for (const path of Object.keys(isObject(document.paths) ? document.paths : {})) {
    if (!path.startsWith("/")) continue;
    const item = references.resolve(`/paths/${escapeSegment(path)}`);
    if (!item || !isObject(item.value)) continue;
    for (const method of OPENAPI_METHODS) {
      const pointer = `${item.pointer}/${method}`;
      const operation = valueAt(document, pointer);
      if (!isObject(operation)) continue;
      operations.push(describeOperation(references, { document, path, method, item: item.value, operation }));
    }
  }
  return operations;
}

/** An operation within its document, as it is written there. */
interface WrittenOperation {
  document: Record<string, unknown>;
  path: string;
  method: string;
  /** The path item around the operation. */
  item: Record<string, unknown>;
  operation: Record<string, unknown>;
}

function describeOperation(
  references: References,
  { document, path, method, item, operation }: WrittenOperation,
): SpecOperation {
  const security = securityOf(document, operation);
  return {
    method: method.toUpperCase(),
    path: storable(path, PATH_LENGTH_MAX) ?? path,
    operationId: storable(operation.operationId),
    summary: storable(operation.summary),
    deprecated: operation.deprecated === true,
    servers: serverUrls(document, item, operation),
    parameters: describeParameters(references, item.parameters, operation.parameters),
    requestBody: describeRequestBody(references, operation.requestBody),
    security,
    ...(security.length > 0 && { schemes: schemesOf(references, security) }),
    responses: Object.keys(isObject(operation.responses) ? operation.responses : {}).filter(
      (status) => !status.startsWith("x-"),
    ),
  };
}
