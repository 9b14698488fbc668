/** The inputs of a conversion of schemas, besides the schema. */
import type { OpenApiLine } from "../document/validate.ts";

/** A JSON Schema; true allows and false refuses every value. */
export type JsonSchema = Record<string, unknown> | boolean;

/** The version of OpenAPI that the schema is written in, and access to the document around it. */
export interface ConversionContext {
  line: OpenApiLine;
  /**
   * Returns the id under which the validator knows the target of a reference; undefined when the reference leads
   * nowhere.
   */
  resolve(reference: string): string | undefined;
  /** Returns the schema that a reference leads to. */
  lookUp(reference: string): Record<string, unknown> | undefined;
}
