/** The inputs of a conversion of schemas, besides the schema. */
import type { OpenApiLine } from "../document/validate.ts";

export type JsonSchema = Record<string, unknown> | boolean;

export interface ConversionContext {
  line: OpenApiLine;
  /** Returns the id under which the validator knows the target of a reference; undefined when the reference leads nowhere. */
  resolve(reference: string): string | undefined;
  /** Returns the schema that a reference leads to. */
  lookUp(reference: string): Record<string, unknown> | undefined;
}
