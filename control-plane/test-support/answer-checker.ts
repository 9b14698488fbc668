/**
 * Holds answers of the REST API against its OpenAPI document: the status must be named for the route, the content type too, and
 * the body must fit the schema. Each schema is compiled when the first answer needs it.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";

const addFormats = addFormatsModule.default;

/** An answer as a client received it. */
export interface ObservedAnswer {
  /** HTTP method of the request. */
  method: string;
  /** Path of the request; a query behind it is ignored. */
  path: string;
  status: number;
  /** Header `Content-Type`; undefined when the answer has none. */
  contentType: string | undefined;
  /** The whole body; empty when there is none. */
  body: string;
}

/** The parts of an OpenAPI document that answers are held against. */
export interface ApiDocument {
  paths: Record<string, Record<string, { responses: Record<string, DescribedAnswer> }>>;
  components?: Record<string, unknown>;
}

interface DescribedAnswer {
  content?: Record<string, { schema?: unknown }>;
}

/** An operation of the document. */
interface Operation {
  /** Path with its parameters in braces. */
  template: string;
  /** HTTP method in lower case. */
  method: string;
  responses: Record<string, DescribedAnswer>;
}

/** Paths of the API that are no operations: the document itself, and the way back from an identity provider. */
const UNDESCRIBED = /^\/api\/(openapi\.json|auth\/oidc\/callback)$/;

/** Id of the document among the validator's schemas. */
const DOCUMENT_ID = "api";

/** Compares answers with one document. */
export class AnswerChecker {
  readonly #document: ApiDocument;
  readonly #ajv: Ajv2020;
  readonly #templates: readonly { template: string; pattern: RegExp }[];
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
    addFormats(this.#ajv);
    this.#ajv.addSchema(document, DOCUMENT_ID);
    this.#templates = Object.keys(document.paths)
      // A literal segment goes before a parameter, which is written in braces; a literal end of a segment before none.
      .sort((a, b) => a.split("{").length - b.split("{").length || b.length - a.length)
      .map((template) => ({ template, pattern: patternOf(template) }));
  }

  /** True when the document describes the operation that the request is for. */
  describes(method: string, path: string): boolean {
    return this.#operationOf(method, path) !== undefined;
  }

  /** Returns what the document says otherwise, in one sentence that names request and status; undefined for a true answer. */
  problemOf(answer: ObservedAnswer): string | undefined {
    const operation = this.#operationOf(answer.method, answer.path);
    const problem = operation ? this.#problemOfDescribed(operation, answer) : this.#problemOfOther(answer);
    return problem && `${answer.method} ${pathOf(answer.path)} answered ${answer.status}: ${problem}`;
  }

  #operationOf(method: string, path: string): Operation | undefined {
    // Reads are answered to HEAD as they are to GET.
    const wanted = method === "HEAD" ? "get" : method.toLowerCase();
    for (const { template, pattern } of this.#templates) {
      const operation = pattern.test(pathOf(path)) ? this.#document.paths[template]?.[wanted] : undefined;
      if (operation) return { template, method: wanted, responses: operation.responses };
    }
    return undefined;
  }

  #problemOfOther({ method, path, status, contentType = "", body }: ObservedAnswer): string | undefined {
    if (UNDESCRIBED.test(pathOf(path)) || method === "HEAD") return undefined;
    // Pages for people, and their files.
    const isPage = !path.startsWith("/api/") && (status < 400 || contentType.startsWith("text/html"));
    if (isPage) return undefined;
    if (status < 400) return "the OpenAPI document has no such operation";
    return this.#schemaProblem("/components/schemas/Error", body);
  }

  #problemOfDescribed(operation: Operation, answer: ObservedAnswer): string | undefined {
    const { method, status, contentType, body } = answer;
    const described = operation.responses[status];
    if (!described) return `${nameOf(operation)} names no such status`;
    if (method === "HEAD") return undefined;
    if (!described.content)
      return body === "" ? undefined : `${nameOf(operation)} has a body that the document does not describe`;
    const mediaType = contentType?.split(";")[0]?.trim() ?? "none";
    if (!described.content[mediaType])
      return `${nameOf(operation)} has the content type ${mediaType} instead of ${Object.keys(described.content).join(", ")}`;
    if (!/[/+]json$/.test(mediaType) || described.content[mediaType].schema === undefined) return undefined;
    const { template, method: key } = operation;
    return this.#schemaProblem(
      pointer("paths", template, key, "responses", String(status), "content", mediaType, "schema"),
      body,
    );
  }

  #schemaProblem(schemaPointer: string, body: string): string | undefined {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return `the body is no JSON: ${body.slice(0, 200)}`;
    }
    const validate = this.#validatorOf(schemaPointer);
    if (validate(value)) return undefined;
    const wrong = (validate.errors ?? []).slice(0, 5).map((error) => {
      const { instancePath, message, params } = error;
      return `${instancePath || "the body"} ${message} ${JSON.stringify(params)}`;
    });
    return `the body does not fit its schema: ${wrong.join("; ")}`;
  }

  #validatorOf(schemaPointer: string): ValidateFunction {
    let validate = this.#validators.get(schemaPointer);
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `${DOCUMENT_ID}#${schemaPointer}` });
      this.#validators.set(schemaPointer, validate);
    }
    return validate;
  }
}

function nameOf({ method, template }: Operation): string {
  return `${method.toUpperCase()} ${template} of the OpenAPI document`;
}

function pathOf(path: string): string {
  return path.replace(/[?#].*$/s, "");
}

function patternOf(template: string): RegExp {
  const parts = template.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`);
}

/** Returns a JSON pointer as the fragment of a URI. */
function pointer(...segments: string[]): string {
  return segments
    .map((segment) => `/${encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"))}`)
    .join("");
}
