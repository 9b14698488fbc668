/** JSON Schemas of what commands write to stdout with --json, made of their answers' schemas. */
import { errorSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "../answers/answers.ts";
import type { OutlinedCommand } from "./command-outline.ts";
import { EXIT_CODES, type ExitReason } from "./exit-codes.ts";

/** Form of a command's output with --json: one object, an object a line, or either, which a flag decides. */
export type OutputForm = "object" | "lines" | "object_or_lines";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

const FAILURE_CODES = Object.keys(EXIT_CODES).filter((code) => code !== "success") as [
  Exclude<ExitReason, "success">,
];

/** Fields of `error.details` that any command may have. */
const COMMON_DETAILS = {
  httpStatus: z.number().optional().describe("Status of the service's answer, where that is the failure."),
  validation: errorSchema.shape.details.describe("What the service says about the request, field by field."),
  ids: z.array(z.string()).optional().describe("Several resources have the name: their ids."),
  didYouMean: z.string().optional().describe("The name that is most like the one typed."),
  exitCode: z.literal(FAILURE_CODES.map((code) => EXIT_CODES[code])),
};

/** Returns the form of the output that the answers describe. */
export function outputFormOf({ data, lines }: Answers): OutputForm {
  if (!lines) return "object";
  return data ? "object_or_lines" : "lines";
}

/**
 * Returns the JSON Schema of a command's output with --json: of the one object, or of each line of a stream. A failure is an object, or a
 * line, too.
 * @param options.isClosed true: unknown fields are refused, for tests that look for drift. Otherwise they are allowed, since later
 *   versions add some
 */
export function outputSchemaOf(
  { path }: Pick<OutlinedCommand, "path">,
  answers: Answers,
  { isClosed }: { isClosed: boolean },
): JsonSchema {
  const schema = z.union([
    ...(answers.data ? [successOf(answers.data)] : []),
    ...(answers.lines ? [answers.lines.schema] : []),
    failureOf(answers.details),
  ]);
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: "output",
    override({ jsonSchema }) {
      if (!isClosed && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { $schema, title: `svc ${path} --json`, description: descriptionOf(answers), ...rest };
}

function successOf(data: z.ZodType): z.ZodType {
  return z.object({ ok: z.literal(true), data });
}

function failureOf(own: Answers["details"] = {}): z.ZodType {
  const details = Object.fromEntries(Object.entries(own).map(([name, field]) => [name, field.optional()]));
  const error = z.object({
    code: z.enum(FAILURE_CODES),
    message: z.string(),
    details: z.object({ ...COMMON_DETAILS, ...details }),
  });
  return z.object({ ok: z.literal(false), error }).meta({ id: "Failure" });
}

function descriptionOf({ data, lines }: Answers): string {
  if (!lines) return "The one object on stdout.";
  const each = `line of stdout: a ${lines.of}, or the failure that ends the stream.`;
  return data ? `The one object on stdout; with ${lines.withFlag} each ${each}` : `Each ${each}`;
}
