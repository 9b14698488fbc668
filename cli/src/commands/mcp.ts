/** Offers the service's MCP server to a program on this machine, over stdin and stdout: `svc mcp`. */
import { once } from "node:events";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ApiError, type ErrorEnvelope } from "@svc/contract";
import { runBridge } from "../mcp-bridge/bridge.ts";
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { failureOf } from "../runtime/failure.ts";

/** Longest that a tool may take. */
const TIMEOUT_MS = 60_000;

interface Options {
  read?: boolean;
}

/** Defines `svc mcp`. Ends when the client closes stdin. */
export const command = defineCommand<Options>({
  summary: "offer the service's MCP server on stdin and stdout, for a program that starts it",
  options: [{ flags: "--read", description: "offer only the tools that change nothing" }],
  examples: ["mcp", "mcp --read"],
  hasJson: false,
  async run(context, { read: isReadMode = false }) {
    const { stdio } = context.system;
    if (!stdio) throw generalError("svc mcp speaks over stdin and stdout, and has none here");
    if (context.isInteractive)
      context.out.info(
        "waiting for an MCP client on stdin; clients start `svc mcp` themselves (Ctrl+C ends it)",
      );
    // Fails at once where there is no key.
    context.api();
    const url = new URL(`${context.apiUrl()}/mcp${isReadMode ? "?mode=read" : ""}`);
    const local = new StdioServerTransport(stdio.stdin, stdio.stdout);
    const remote = new StreamableHTTPClientTransport(url, {
      fetch: (to, init) => ask(context, new URL(to), init),
    });
    await runBridge({
      local,
      // The transport's optional session id is undefined, which the exact types of this project tell from absent.
      remote: remote as Transport,
      gone: whenGone(stdio.stdin, context.signal),
      report: (error) => {
        const { message, hint } = failureOf(error, context.apiUrl());
        const text = hint === undefined ? message : `${message} (${hint})`;
        context.out.warn(context.out.text(text));
        return text;
      },
    });
  },
});

/** Resolves when the client closes its end, or Ctrl+C ends the command. */
async function whenGone(stdin: NodeJS.ReadableStream, signal: AbortSignal): Promise<void> {
  await Promise.race([once(stdin, "end", { signal }), once(stdin, "close", { signal })]).catch(
    () => undefined,
  );
}

/**
 * Sends a request of the protocol with the user's key.
 * @throws ApiError for a refusal in the service's own way
 */
async function ask(context: Context, url: URL, init: RequestInit = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const response = await context.request(`/mcp${url.search}`, {
    ...init,
    signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
  });
  // The server opens no streams, which is no failure.
  if (response.ok || response.status === 405) return response;
  throw new ApiError(response.status, envelopeOf(await response.text()));
}

/** Returns the reason of a refusal, by the service or by the protocol. */
function envelopeOf(text: string): ErrorEnvelope | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (typeof error === "string") return JSON.parse(text) as ErrorEnvelope;
    const { message } = error as { message?: unknown };
    return typeof message === "string" ? { error: message } : undefined;
  } catch {
    return undefined;
  }
}
