/** What the conversion of schemas works with. */
import type { OpenApiLine } from "../document/validate.ts";

export type JsonSchema = Record<string, unknown> | boolean;

export interface ConversionContext {
  line: OpenApiLine;
  /** The id that stands for a reference in what the validator gets; undefined when the reference leads nowhere. */
  resolve(reference: string): string | undefined;
  /** The schema that a reference leads to. */
  lookUp(reference: string): Record<string, unknown> | undefined;
}
