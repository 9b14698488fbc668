/** The context that every command runs in: output, machine, flags, and clients of the service. */
import { type ApiClient, type ApiClientOptions, createApiClient, isLoopbackHost } from "@svc/contract";
import type { Output } from "../output/output.ts";
import { CliError } from "./cli-error.ts";
import type { OutlinedCommand } from "./command-outline.ts";
import { credentialsPath, isReadableByOthers, resolveApiKey, resolveApiUrl } from "./credentials.ts";
import type { System } from "./system.ts";
import { VERSION } from "./version.ts";

/** Values of the flags that every command takes. */
export interface GlobalFlags {
  json: boolean;
  quiet: boolean;
  noColor: boolean;
  verbose: boolean;
  apiUrl?: string | undefined;
}

type ClientOptions = Pick<ApiClientOptions, "headers" | "timeoutMs"> & {
  /** Address of the service; replaces the address from flags, environment and file. */
  baseUrl?: string;
  outlivesInterruption?: boolean;
};

/** The surroundings of a command: its input, output and clients. */
export interface Context {
  out: Output;
  system: System;
  flags: GlobalFlags;
  /** All commands, for help and completion. */
  commands: readonly OutlinedCommand[];
  /** Aborted by Ctrl+C: pass it to everything that waits. */
  signal: AbortSignal;
  /** True when a person at the terminal can be asked. */
  isInteractive: boolean;
  /**
   * Returns the control plane's address, without a trailing slash.
   * @throws CliError when the setting is no address
   */
  apiUrl(): string;
  /** Waits `ms` milliseconds. Resolves with false when Ctrl+C ended the wait: loops end then. */
  pause(ms: number): Promise<boolean>;
  /**
   * Returns a client with the user's key. Requests that change something may outlive Ctrl+C by 4 s, so that their end
   * is known.
   * @throws CliError auth_failure when there is no key
   */
  api(options?: ClientOptions): ApiClient;
  /** Returns a client with the given key, or with none: for signing in and out. */
  apiAs(apiKey: string | undefined, options?: ClientOptions): ApiClient;
  /** Sends a request to a route that the client doesn't have: with the user's key, ended by Ctrl+C, logged by --verbose. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

/** Creates the context of one command line. Credentials are read when the first client is asked for. */
export function createContext({
  system,
  flags,
  out,
  commands,
}: Pick<Context, "system" | "flags" | "out" | "commands">): Context {
  const isInteractive = system.stdinIsTty && system.stdout.isTty && !flags.json && !system.env.CI;
  let resolved: { baseUrl: string; apiKey: string } | undefined;
  const access = () => {
    resolved ??= resolveAccess(system, flags, out);
    return resolved;
  };
  const interruptibleFetch = fetchFor(system, out, system.interrupted);
  const steadyFetch = fetchFor(system, out, soonAfter(system.interrupted));
  const client = ({
    outlivesInterruption = false,
    ...options
  }: ClientOptions & Pick<ApiClientOptions, "baseUrl" | "apiKey">) =>
    createApiClient({
      ...options,
      headers: { "User-Agent": `svc-cli/${VERSION}`, ...options.headers },
      fetch: jsonOnly(outlivesInterruption ? steadyFetch : interruptibleFetch),
    });
  return {
    out,
    system,
    flags,
    commands,
    signal: system.interrupted,
    isInteractive,
    async pause(ms) {
      await system.wait(ms, system.interrupted);
      return !system.interrupted.aborted;
    },
    apiUrl: () => resolveApiUrl(system, flags.apiUrl),
    api: (options = {}) => client({ ...access(), ...options }),
    apiAs: (apiKey, options = {}) =>
      client({ baseUrl: resolveApiUrl(system, flags.apiUrl), ...(apiKey && { apiKey }), ...options }),
    request(path, init = {}) {
      const { baseUrl, apiKey } = access();
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${apiKey}`);
      headers.set("User-Agent", `svc-cli/${VERSION}`);
      return interruptibleFetch(`${baseUrl}${path}`, {
        signal: AbortSignal.timeout(30_000),
        ...init,
        headers,
      });
    },
  };
}

function resolveAccess(system: System, flags: GlobalFlags, out: Output): { baseUrl: string; apiKey: string } {
  const baseUrl = resolveApiUrl(system, flags.apiUrl);
  const { apiKey, source } = resolveApiKey(system, baseUrl);
  out.secrets.add(apiKey);
  const path = credentialsPath(system);
  if (source === "file" && isReadableByOthers(system))
    out.warn(`${path} can be read by others on this machine; run: chmod 600 ${path}`);
  if (isPlainAndRemote(baseUrl)) out.warn(`your API key goes to ${baseUrl} unencrypted; use https`);
  return { baseUrl, apiKey };
}

function isPlainAndRemote(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === "http:" && !isLoopbackHost(hostname);
}

/** Time that requests have after Ctrl+C to come to an end. A person who waits longer thinks that nothing was heard. */
const GRACE_MS = 4_000;

/** Returns a signal that aborts, with a TimeoutError, a while after the interruption. */
function soonAfter(interrupted: AbortSignal): AbortSignal {
  const late = new AbortController();
  const end = () =>
    setTimeout(
      () => late.abort(new DOMException("no answer since the interruption", "TimeoutError")),
      GRACE_MS,
    ).unref();
  if (interrupted.aborted) end();
  else interrupted.addEventListener("abort", end, { once: true });
  return late.signal;
}

/** Returns a fetch that the signal ends and that --verbose logs. */
function fetchFor(system: System, out: Output, signal: AbortSignal | undefined): typeof fetch {
  return async (input, init) => {
    const startedMs = system.monotonicMs();
    const signals = [signal, init?.signal].filter((one) => one != null);
    const response = await (system.fetch ?? fetch)(input, { ...init, signal: AbortSignal.any(signals) });
    const durationMs = Math.round(system.monotonicMs() - startedMs);
    out.verbose(`${init?.method ?? "GET"} ${String(input)}: ${response.status} in ${durationMs} ms`);
    return response;
  };
}

/** Returns a fetch that refuses pages of a proxy or of another server, even with status 200. */
function jsonOnly(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    const type = response.headers.get("content-type") ?? "";
    if (response.ok && !/^application\/([\w.-]+\+)?json\b/i.test(type)) {
      await response.body?.cancel();
      throw new CliError(
        "general_error",
        `${new URL(String(input)).origin} answered with ${type === "" ? "something" : type.split(";")[0]} that is not an answer of the svc API`,
        { hint: "Is the address right (--api-url, SVC_API_URL), or does a proxy stand in between?" },
      );
    }
    return response;
  };
}
