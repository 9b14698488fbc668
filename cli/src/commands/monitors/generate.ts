/**
 * Has the service write the script of a browser monitor from a description, and try it before it is shown:
 * `svc monitors generate`. Nothing is created: the script is printed, or written to a file for the config.
 */
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { ApiError, apiErrorOf, type GeneratedScript, type ScriptGenerationEvent } from "@svc/contract";
import { readText } from "../../config/read-text.ts";
import type { Output } from "../../output/output.ts";
import { getLocation } from "../../resources/locations/get-location.ts";
import { asLimit, generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import type { Context } from "../../runtime/context.ts";

/** Longest wait for the answer: the service promises it within 120 s. */
const TIMEOUT_MS = 150_000;
/** Largest script that is sent to be changed. */
const SCRIPT_BYTES_MAX = 256 * 1024;
/** Longest part of a stream without an event's end that is kept, characters. */
const EVENT_CHARACTERS_MAX = 4 * 1024 * 1024;

interface Options {
  url?: string;
  refine?: string;
  location?: string;
  allowWrites?: boolean;
  output?: string;
  force?: boolean;
}

/** Defines `svc monitors generate`. */
export const command = defineCommand<Options>({
  summary: "have a browser monitor's script written from a description, and tried before it is shown",
  answers: async () => (await import("../../answers/monitors.ts")).monitorsGenerate,
  arguments: [{ name: "<description>", description: "what users do and see; with --refine, what to change" }],
  options: [
    { flags: "--url <url>", description: "page to begin with (default: the first URL of the description)" },
    { flags: "--refine <file>", description: "change the script in this file instead of writing a new one" },
    {
      flags: "--location <name-or-id>",
      description: "where to try it (default: the first location that can)",
    },
    {
      flags: "--allow-writes",
      description: "let the try change something at the target, which stays changed",
    },
    { flags: "--output <file>", description: "write the script to this file instead of printing it" },
    { flags: "--force", description: "replace the file of --output" },
  ],
  examples: [
    'monitors generate "search for tea and see results" --url https://shop.example.org',
    'monitors generate "also open the first result" --refine search.spec.ts --output search.spec.ts --force',
  ],
  async run(context, options, [words]) {
    const file = options.output === undefined ? null : resolve(context.system.cwd, options.output);
    if (file !== null && !options.force && existsSync(file))
      throw generalError(`${options.output} exists already`, "Give --force to replace it");
    const body = await bodyOf(context, options, words as string);
    const generated = await generate(context, body);
    if (file !== null) writeFileSync(file, generated.script);
    const { status } = generated.verified;
    return {
      data: { ...generated, file: options.output ?? null },
      print: (out) => print(out, generated, options.output),
      ...(status === "failed" && { exit: "general_error" as const }),
    };
  },
});

async function bodyOf(context: Context, options: Options, words: string): Promise<object> {
  const location = options.location && (await getLocation(context.api(), options.location));
  return {
    ...(options.refine === undefined
      ? { description: words }
      : {
          description: `Change the script: ${words}`,
          refinement: words,
          previousScript: scriptOf(resolve(context.system.cwd, options.refine), options.refine),
        }),
    ...(options.url !== undefined && { targetUrl: options.url }),
    ...(location && { locationId: location.id }),
    ...(options.allowWrites && { allowWrites: true }),
  };
}

function scriptOf(path: string, typed: string): string {
  const text = readText(path, SCRIPT_BYTES_MAX);
  if (typeof text !== "string") throw generalError(`--refine ${typed}: ${text.problem}`);
  return text;
}

/** Asks for the script, and says meanwhile where its generation is. */
async function generate(context: Context, body: object): Promise<GeneratedScript> {
  const response = await context.request("/api/checks/generate", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw asLimit(apiErrorOf(response, await response.text()));
  for await (const event of eventsOf(response)) {
    if (event.name === "result") return event.data;
    if (event.name === "error")
      throw asLimit(
        new ApiError(event.data.status, { error: event.data.error }, event.data.retryAfterSeconds),
      );
    context.out.info(context.out.text(sentenceOf(event.data)));
  }
  throw generalError("the service ended its answer before there was a script", "Try again");
}

async function* eventsOf(response: Response): AsyncGenerator<ScriptGenerationEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > EVENT_CHARACTERS_MAX) throw generalError("the service's answer is too large");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined && data !== undefined)
        yield { name, data: JSON.parse(data) } as ScriptGenerationEvent;
    }
  }
}

function sentenceOf({
  phase,
  attempt,
  problem,
}: Extract<ScriptGenerationEvent, { name: "progress" }>["data"]): string {
  const [reason = ""] = (problem ?? "").split("\n");
  return {
    looking: "looking at the page",
    writing: "writing the script",
    trying: `trying draft ${attempt}`,
    repairing: `repairing it: ${reason}`,
  }[phase];
}

function print(out: Output, { script, model, verified }: GeneratedScript, file: string | undefined): void {
  if (file === undefined) out.line(out.block(script.trimEnd()));
  else out.line(`Wrote ${out.text(file)}, by ${out.text(model)}.`);
  for (const note of verified.notes) out.warn(out.text(note));
  if (verified.status === "passed") out.info("it passed when it was tried");
  else if (verified.status === "failed")
    out.warn(`it failed when it was tried: ${out.text(verified.problem ?? "")}`);
  else out.warn(`it was not tried: ${out.text(verified.problem ?? "")}`);
}
