/** Runs a command line within the test's process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../src/program/run.ts";
import { checkOutput } from "./output-checker.ts";

/** The output and the exit code of a command line. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** Parses stdout, which has one envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  json(): any;
}

/** The machine and the service that the command line meets; all of it has defaults. */
export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  homeFolder?: string;
  /** Default: Linux. */
  platform?: NodeJS.Platform;
  fetch?: typeof fetch;
  isTty?: boolean;
  columns?: number;
  interrupted?: AbortSignal;
  nowMs?: number | (() => number);
  /** Called where the command would wait, which it does not but for a promise that this returns. Default: does nothing. */
  wait?(ms: number): unknown;
  openBrowser?(url: string): Promise<void>;
  /** The answer of the person at the terminal to any question. */
  answer?: string;
  /** The text of stdin. Default: there is none. */
  stdin?: string;
}

/**
 * Runs the command line at noon of 2026-06-01 (UTC), unless `nowMs` says otherwise, and resolves with its output. With --json the output
 * must fit the command's schema.
 */
export async function runSvc(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const { isTty = false, columns = 80, interrupted = new AbortController().signal } = options;
  const code = await runCommandLine(args, {
    platform: options.platform ?? "linux",
    env: options.env ?? {},
    cwd: options.cwd ?? tmpdir(),
    homeFolder: options.homeFolder ?? "/nonexistent",
    stdout: {
      write: (text) => {
        stdout += text;
      },
      isTty,
      columns: () => columns,
    },
    stderr: {
      write: (text) => {
        stderr += text;
      },
      isTty,
      columns: () => columns,
    },
    stdinIsTty: isTty,
    ...(options.stdin === undefined ? {} : { readStdin: async () => options.stdin as string }),
    interrupted,
    nowMs:
      typeof options.nowMs === "function"
        ? options.nowMs
        : () => (options.nowMs as number | undefined) ?? Date.UTC(2026, 5, 1, 12),
    monotonicMs: () => performance.now(),
    wait: async (ms) => {
      await options.wait?.(ms);
    },
    hostName: "laptop.example",
    ...(options.openBrowser ? { openBrowser: options.openBrowser } : {}),
    ...(options.answer === undefined ? {} : { ask: async () => options.answer as string }),
    fetch: options.fetch ?? (() => Promise.reject(new Error("this test expects no request"))),
  });
  await checkOutput({ args, stdout });
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** Makes an empty folder for one test. */
export function testFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "svc-cli-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Answers a request by its body and headers. */
type Answering = (
  body: unknown,
  headers: Headers,
) => { status: number; body: unknown; headers?: Record<string, string> };

/**
 * Returns a fetch that answers JSON by "METHOD /path" and records its requests. Routes without an answer get a 404.
 * @param answers bodies of a 200, or functions from the request
 */
export function fakeService(answers: Record<string, unknown | Answering>): {
  fetch: typeof fetch;
  requests: { route: string; body: unknown; headers: Headers }[];
} {
  const requests: { route: string; body: unknown; headers: Headers }[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      const route = `${init?.method ?? "GET"} ${pathname}`;
      const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
      requests.push({ route, body, headers: new Headers(init?.headers) });
      const answer = answers[route];
      const {
        status,
        body: answered,
        headers,
      }: ReturnType<Answering> = typeof answer === "function"
        ? answer(body, new Headers(init?.headers))
        : answer === undefined
          ? { status: 404, body: { error: `no answer for ${route}` } }
          : { status: 200, body: answer };
      return Response.json(answered, { status, ...(headers && { headers }) });
    },
  };
}
