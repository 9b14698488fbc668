/** Judges responses by a document: status, content type, body and, on request, headers. */
import type { ValidateFunction } from "ajv";
import { essence, isJsonType, matchMediaType } from "../document/media-types.ts";
import { escapeSegment, isObject, valueAt } from "../document/pointer.ts";
import { References } from "../document/references.ts";
import type { OpenApiLine } from "../document/validate.ts";
import type { ConformanceResult, ResponseToJudge } from "./conformance-result.ts";
import { describeFailures } from "./failures.ts";
import { type DeclaredHeader, headerProblems } from "./headers.ts";
import { OperationIndex, type OperationLocation } from "./match-operation.ts";
import { SchemaSet } from "./schema-set.ts";

/** Most problems listed for one response; the rest is counted. */
const PROBLEMS_MAX = 20;
/** Statuses whose responses never have content, whatever the document says. */
const STATUSES_WITHOUT_CONTENT = new Set([204, 205, 304]);

/** Longest chain of references between a response and its schema. */
const REFERENCE_HOPS_MAX = 100;

/** The compiled parts of the document that a response is judged by. */
export interface PreparedJudgement {
  operation?: OperationLocation;
  /** Set when the response can't be judged by the document at all. */
  problem?: string;
  contentProblem?: string;
  bodyValidator?: ValidateFunction;
  /** True when the body must be parsed as JSON before it is validated. */
  bodyIsJson: boolean;
  headers: DeclaredHeader[];
}

/** Judges responses by one valid document. */
export class ConformanceJudge {
  readonly #document: Record<string, unknown>;
  readonly #references: References;
  readonly #operations: OperationIndex;
  readonly #schemas: SchemaSet;

  constructor(document: Record<string, unknown>, line: OpenApiLine) {
    this.#document = document;
    this.#references = new References(document);
    this.#operations = new OperationIndex(document, this.#references);
    this.#schemas = new SchemaSet(document, line, this.#references);
  }

  /**
   * Finds the response's operation and compiles its schemas. Slow the first time, a few lookups afterwards. Never
   * throws.
   */
  prepare(response: ResponseToJudge): PreparedJudgement {
    try {
      return this.#prepareOrThrow(response);
    } catch (error) {
      // A valid document may hold schemas that the validator can't compile, such as an empty enumeration.
      return {
        bodyIsJson: false,
        headers: [],
        problem: `a schema of the document can't be used: ${reasonOf(error)}`,
      };
    }
  }

  #prepareOrThrow(response: ResponseToJudge): PreparedJudgement {
    const prepared: PreparedJudgement = { bodyIsJson: false, headers: [] };
    const operation = response.operationPath
      ? this.#operations.named(response.operationPath)
      : this.#operations.matching(response.method, response.url);
    if (!operation) return { ...prepared, problem: noOperation(response) };
    prepared.operation = operation;
    const declared = this.#responseFor(operation, response.status);
    if ("problem" in declared) return { ...prepared, problem: declared.problem };
    this.#prepareContent(prepared, response, declared);
    if (response.validateHeaders) this.#prepareHeaders(prepared, declared);
    return prepared;
  }

  /** Judges a response. `prepared` is the answer of {@link prepare} for this response. */
  judge(response: ResponseToJudge, prepared: PreparedJudgement): ConformanceResult {
    const operation = prepared.operation && `${prepared.operation.method} ${prepared.operation.path}`;
    const problems = prepared.problem ? [prepared.problem] : problemsOf(response, prepared);
    return { conforms: problems.length === 0, operation, problems: shortened(problems) };
  }

  #responseFor(operation: OperationLocation, status: number): DeclaredResponse | { problem: string } {
    const responses = this.#references.resolve(`${operation.pointer}/responses`);
    const declared = isObject(responses?.value) ? Object.keys(responses.value) : [];
    const wanted = [String(status), `${Math.floor(status / 100)}XX`, "default"];
    const key = wanted
      .map((candidate) => declared.find((name) => name.toLowerCase() === candidate.toLowerCase()))
      .find((name) => name !== undefined);
    if (key === undefined) {
      const described = declared.filter((name) => !name.startsWith("x-")).join(", ") || "no response";
      return {
        problem: `status ${status} is not described; ${operation.method} ${operation.path} describes ${described}`,
      };
    }
    const found = this.#references.resolve(`${responses?.pointer}/${key}`);
    if (!found || !isObject(found.value))
      return { problem: `the description of status ${status} can't be read` };
    return { key, pointer: found.pointer, value: found.value };
  }

  #prepareContent(prepared: PreparedJudgement, response: ResponseToJudge, declared: DeclaredResponse): void {
    const content = isObject(declared.value.content) ? declared.value.content : {};
    const types = Object.keys(content);
    const hasNoContent =
      types.length === 0 ||
      response.method.toUpperCase() === "HEAD" ||
      prepared.operation?.method === "HEAD" ||
      STATUSES_WITHOUT_CONTENT.has(response.status);
    if (hasNoContent) return;
    const { contentType } = response;
    const described = `described for ${declared.key}: ${types.join(", ")}`;
    if (contentType === undefined || essence(contentType) === undefined) {
      const found =
        contentType === undefined ? "no content type" : `content type "${contentType}" is malformed`;
      prepared.contentProblem = `${found}; ${described}`;
      return;
    }
    const type = matchMediaType(contentType, types);
    if (type === undefined) {
      prepared.contentProblem = `content type ${essence(contentType)} is not described; ${described}`;
      return;
    }
    const media = content[type];
    if (!isObject(media) || media.schema === undefined) return;
    prepared.bodyIsJson = isJsonType(contentType);
    if (!prepared.bodyIsJson && !this.#isTextSchema(media.schema)) return;
    prepared.bodyValidator = this.#schemas.validatorFor(
      this.#schemaPointer(`${declared.pointer}/content/${escapeSegment(type)}/schema`),
    );
  }

  #prepareHeaders(prepared: PreparedJudgement, declared: DeclaredResponse): void {
    if (!isObject(declared.value.headers)) return;
    for (const name of Object.keys(declared.value.headers)) {
      // OpenAPI: a response header called Content-Type is ignored.
      if (name.toLowerCase() === "content-type") continue;
      const pointer = `${declared.pointer}/headers/${escapeSegment(name)}`;
      const header = this.#references.resolve(pointer);
      if (!header || !isObject(header.value)) continue;
      const media = isObject(header.value.content) ? Object.keys(header.value.content)[0] : undefined;
      const schemaAt =
        media === undefined
          ? `${header.pointer}/schema`
          : `${header.pointer}/content/${escapeSegment(media)}/schema`;
      const schema = this.#references.resolve(schemaAt);
      prepared.headers.push({
        name,
        required: header.value.required === true,
        isJson: media !== undefined && isJsonType(media),
        schema: schema?.value,
        ...(schema ? { validator: this.#schemas.validatorFor(this.#schemaPointer(schemaAt)) } : {}),
      });
    }
  }

  /**
   * Returns the pointer of the schema itself, references followed, so that operations that share a component share its
   * validator.
   */
  #schemaPointer(pointer: string): string {
    let at = pointer;
    for (let hops = 0; hops < REFERENCE_HOPS_MAX; hops++) {
      const value = valueAt(this.#document, at);
      // A reference beside other keywords is only a part of the schema.
      if (!isObject(value) || typeof value.$ref !== "string" || Object.keys(value).length > 1) break;
      const target = this.#references.targetOf(value.$ref);
      if (target === undefined) break;
      at = target;
    }
    return at;
  }

  /**
   * True for schemas of plain text, the only content besides JSON that can be judged: XML and forms have no agreed
   * reading as values.
   */
  #isTextSchema(schema: unknown): boolean {
    let value = schema;
    if (isObject(value) && typeof value.$ref === "string") {
      const target = this.#references.targetOf(value.$ref);
      value = target === undefined ? undefined : this.#references.resolve(target)?.value;
    }
    return isObject(value) && value.type === "string" && value.format !== "binary";
  }
}

interface DeclaredResponse {
  /** `200`, `2XX` or `default`. */
  key: string;
  pointer: string;
  value: Record<string, unknown>;
}

function problemsOf(response: ResponseToJudge, prepared: PreparedJudgement): string[] {
  try {
    return [
      ...(prepared.contentProblem ? [prepared.contentProblem] : bodyProblems(response, prepared)),
      ...headerProblems(response.headers, prepared.headers),
    ];
  } catch (error) {
    return [`the response can't be judged: ${reasonOf(error)}`];
  }
}

/** Returns the error in words. The stack runs out when a schema only leads to itself, or a body nests without end. */
function reasonOf(error: unknown): string {
  return error instanceof RangeError ? "schema or body nest without end" : (error as Error).message;
}

function noOperation({ method, url, operationPath }: ResponseToJudge): string {
  if (operationPath) return `the document has no operation ${operationPath}`;
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  return `no operation of the document matches ${method} ${path}; set operationPath`;
}

function bodyProblems(response: ResponseToJudge, prepared: PreparedJudgement): string[] {
  const validate = prepared.bodyValidator;
  if (!validate) return [];
  let body: unknown = response.bodyText;
  if (prepared.bodyIsJson) {
    try {
      body = JSON.parse(response.bodyText);
    } catch (error) {
      return [`body is not valid JSON: ${(error as Error).message}`];
    }
  }
  return validate(body) ? [] : describeFailures(validate.errors ?? [], "body");
}

function shortened(problems: readonly string[]): string[] {
  const unique = [...new Set(problems)];
  const listed = unique
    .slice(0, PROBLEMS_MAX)
    .map((problem) => (problem.length > 500 ? `${problem.slice(0, 500)}…` : problem));
  return unique.length > PROBLEMS_MAX ? [...listed, `and ${unique.length - PROBLEMS_MAX} more`] : listed;
}
