/**
 * The schemas of one document, each compiled when a response first needs it. Only the schemas that it reaches are
 * converted, and shared components are compiled once.
 */
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { isObject, valueAt } from "../document/pointer.ts";
import type { References } from "../document/references.ts";
import type { OpenApiLine } from "../document/validate.ts";
import { convertSchema } from "./convert-schema.ts";

const addFormats = addFormatsModule.default;

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  addUsedSchema: false,
  unicodeRegExp: false,
  // Optimising the generated code triples the time of the first judgement and gains a few per cent afterwards.
  code: { optimize: false },
};

/** Validators by the pointer of their schema. */
export class SchemaSet {
  readonly #document: Record<string, unknown>;
  readonly #line: OpenApiLine;
  readonly #references: References;
  readonly #ajv: Ajv;
  readonly #ids = new Map<string, string>();
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(document: Record<string, unknown>, line: OpenApiLine, references: References) {
    this.#document = document;
    this.#line = line;
    this.#references = references;
    this.#ajv = line === "3.1" ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
    addFormats(this.#ajv);
  }

  /**
   * Returns the validator of the schema at `pointer`.
   * @throws Error when the schema can't be compiled
   */
  validatorFor(pointer: string): ValidateFunction {
    let validator = this.#validators.get(pointer);
    if (!validator) {
      validator = this.#ajv.getSchema(this.#add(pointer));
      if (!validator) throw new Error(`no schema at ${pointer}`);
      this.#validators.set(pointer, validator);
    }
    return validator;
  }

  /** Adds the schema and every schema it refers to. Returns the id under which the library knows it. */
  #add(pointer: string): string {
    const open = [pointer];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#ids.has(next) && this.#ajv.schemas[this.#ids.get(next) as string]) continue;
      const schema = valueAt(this.#document, next);
      const converted = convertSchema(schema, {
        line: this.#line,
        resolve: (reference) => {
          const target = this.#references.targetOf(reference);
          if (target === undefined) return undefined;
          open.push(target);
          return this.#idOf(target);
        },
        lookUp: (reference) => {
          const target = this.#references.targetOf(reference);
          const value = target === undefined ? undefined : this.#references.resolve(target)?.value;
          return isObject(value) ? value : undefined;
        },
      });
      this.#ajv.addSchema(converted, this.#idOf(next));
    }
    return this.#idOf(pointer);
  }

  #idOf(pointer: string): string {
    let id = this.#ids.get(pointer);
    if (!id) {
      id = `svc:/schema/${this.#ids.size}`;
      this.#ids.set(pointer, id);
    }
    return id;
  }
}
