/** Sends one request to any route, for work that has no command of its own: `svc api <path>`. */
import { readFileSync } from "node:fs";
import { ApiError } from "@svc/contract";
import type { Output } from "../output/output.ts";
import { generalError } from "../runtime/cli-error.ts";
import { type CommandOutcome, defineCommand } from "../runtime/command.ts";

interface Options {
  method?: string;
  data?: string;
}

/** Defines `svc api`. The path must be one of the service's own, so that the key goes nowhere else. */
export const command = defineCommand<Options>({
  summary: "send one request to the REST API and print the answer",
  answers: async () => (await import("../answers/account.ts")).api,
  arguments: [{ name: "<path>", description: "path and query, e.g. /api/checks" }],
  options: [
    { flags: "-X, --method <method>", description: "HTTP method (default: GET, with --data POST)" },
    {
      flags: "-d, --data <json>",
      description: "JSON body; @file reads it from a file, - from standard input",
    },
  ],
  examples: [
    "api /api/checks",
    "api /api/labels --json",
    `api -X PUT -d '{"labels":["prod"]}' /api/checks/chk_.../labels`,
  ],
  async run(context, { method, data }, [path]): Promise<CommandOutcome> {
    const body = data === undefined ? undefined : readBody(data);
    const response = await context.request(pathOf(path as string), {
      method: (method ?? (body === undefined ? "GET" : "POST")).toUpperCase(),
      ...(body === undefined ? {} : { body, headers: { "Content-Type": "application/json" } }),
    });
    const answer = parsed(await response.text());
    if (!response.ok) throw new ApiError(response.status, errorBodyOf(answer));
    return { data: answer, print: (out) => printAnswer(out, answer) };
  },
});

/** Refuses everything but a path, so that the key goes to no other address. */
function pathOf(path: string): string {
  if (!path.startsWith("/") || path.startsWith("//"))
    throw generalError(`a path begins with one "/": ${path}`);
  return path;
}

function readBody(data: string): string {
  const text = data === "-" ? readFileSync(0, "utf8") : data.startsWith("@") ? readFile(data.slice(1)) : data;
  try {
    JSON.parse(text);
  } catch (error) {
    throw generalError(`--data is not JSON: ${(error as Error).message}`);
  }
  return text;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw generalError(`--data: ${(error as Error).message}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function errorBodyOf(answer: unknown): { error: string } | undefined {
  const hasError = typeof answer === "object" && answer !== null && "error" in answer;
  return hasError && typeof answer.error === "string" ? (answer as { error: string }) : undefined;
}

function printAnswer(out: Output, answer: unknown): void {
  const text = typeof answer === "string" ? answer : JSON.stringify(out.secrets.redactDeep(answer), null, 2);
  out.line(out.block(text.replace(/\n$/, "")));
}
