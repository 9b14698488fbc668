/** The shape in which a command declares what it writes to stdout with --json. */
import type * as z from "zod";

/**
 * Schemas of everything that a command writes to stdout with --json: `svc schema` prints them, the reference lists their fields, and
 * every test that runs the command holds its output against them.
 */
export interface Answers {
  /** `data` of the envelope; absent when a success has no envelope. */
  readonly data?: z.ZodType;
  /** The objects of a stream, one a line and without an envelope. */
  readonly lines?: {
    readonly schema: z.ZodType;
    /** Noun for the content of one line, e.g. `result`. */
    readonly of: string;
    /** Flag that asks for the stream; absent when the command writes nothing else. */
    readonly withFlag?: string;
  };
  /** Fields that failures of this command add to `error.details`, beside those of every command; each is optional. */
  readonly details?: Readonly<Record<string, z.ZodType>>;
}
