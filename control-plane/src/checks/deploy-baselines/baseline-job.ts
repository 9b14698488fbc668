/**
 * Parsing of a deploy baseline in a job thread: its body has up to 16 MiB, which would hold the event loop for a second. The
 * thread gives back the resources as JSON text, which is stored and answered without being parsed again.
 */
import { parseInput, putDeployBaselineSchema, type ValidationDetails } from "@svc/contract";
import { findShapeProblem } from "../../platform/http/json-shape.ts";
import { defineThreadJob } from "../../platform/threads/thread-job.ts";

/** Limits above those of 50,000 resources with their labels. */
const SHAPE_LIMITS = { levels: 64, items: 50_001, fields: 100, values: 1_500_000 };

/** The resources as JSON text in UTF-8, or the problems of the body. */
export type ParsedBaseline = { resources: Uint8Array } | { problem: string } | { details: ValidationDetails };

/** The input is the body's bytes. */
export const baselineJob = defineThreadJob<Uint8Array, ParsedBaseline>("parse_baseline", 10_000);

/** The work of {@link baselineJob}. */
export function parseBaseline(body: Uint8Array): ParsedBaseline {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  const shape = findShapeProblem(text, SHAPE_LIMITS);
  if (shape) return { problem: `${shape.field === undefined ? "the body" : shape.field} ${shape.message}` };
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return { problem: "the body is not valid JSON" };
  }
  const parsed = parseInput(putDeployBaselineSchema, input);
  if (!parsed.success) return { details: parsed.details };
  return { resources: Buffer.from(JSON.stringify(parsed.value.resources)) };
}
