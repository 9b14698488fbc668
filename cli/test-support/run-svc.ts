/** A command line run within the test: what it wrote, and its exit code. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../src/program/run.ts";

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The one envelope on stdout. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  json(): any;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  homeFolder?: string;
  fetch?: typeof fetch;
  isTty?: boolean;
  columns?: number;
  interrupted?: AbortSignal;
  nowMs?: number | (() => number);
  /** What happens while a command waits; default: nothing, at once. */
  wait?(ms: number): void;
  openBrowser?(url: string): Promise<void>;
  /** What the person at the terminal answers. */
  answer?: string;
}

export async function runSvc(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  let stdout = "";
  let stderr = "";
  const { isTty = false, columns = 80, interrupted = new AbortController().signal } = options;
  const code = await runCommandLine(args, {
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
    interrupted,
    nowMs:
      typeof options.nowMs === "function"
        ? options.nowMs
        : () => (options.nowMs as number | undefined) ?? Date.UTC(2026, 5, 1, 12),
    wait: async (ms) => options.wait?.(ms),
    hostName: "laptop.example",
    ...(options.openBrowser ? { openBrowser: options.openBrowser } : {}),
    ...(options.answer === undefined ? {} : { ask: async () => options.answer as string }),
    fetch: options.fetch ?? (() => Promise.reject(new Error("this test expects no request"))),
  });
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** A folder for one test. */
export function testFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "svc-cli-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A fetch that answers JSON by "METHOD /path", and records what it was asked. */
export function fakeService(
  answers: Record<string, unknown | ((body: unknown) => { status: number; body: unknown })>,
): { fetch: typeof fetch; requests: { route: string; body: unknown; headers: Headers }[] } {
  const requests: { route: string; body: unknown; headers: Headers }[] = [];
  return {
    requests,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      const route = `${init?.method ?? "GET"} ${pathname}`;
      const body = typeof init?.body === "string" ? JSON.parse(init.body) : undefined;
      requests.push({ route, body, headers: new Headers(init?.headers) });
      const answer = answers[route];
      const { status, body: answered } =
        typeof answer === "function"
          ? answer(body)
          : answer === undefined
            ? { status: 404, body: { error: `no answer for ${route}` } }
            : { status: 200, body: answer };
      return Response.json(answered, { status });
    },
  };
}
