/**
 * Runs the system's ping. It gets an address that the egress rules have passed, never a name, and nothing else that a check's author
 * chose but numbers.
 */
import { type ChildProcess, execFile } from "node:child_process";
import net from "node:net";
import { PING_INTERVAL_MS } from "@svc/contract";
import type { PinnedAddress, StopSignal } from "@svc/egress";
import pLimit from "p-limit";
import { storableText } from "../base/storable-text.ts";
import { codeOf, RunnerFailure, runnerFaultOf, TargetFailure } from "../run/failures.ts";
import { type PingSummary, pingSummaryIn } from "./ping-summary.ts";

/** Most processes at a time. */
const PROCESSES_MAX = 32;
/** Largest output that is read, bytes. */
const OUTPUT_BYTES_MAX = 64 * 1024;
/** Longest that trying out may take, ms. */
const TRY_OUT_MS_MAX = 10_000;

const limited = pLimit(PROCESSES_MAX);

/** The packets of one run. */
export interface PingPackets {
  address: PinnedAddress;
  count: number;
  /** How long the answer to the last packet is waited for, ms. */
  waitMs: number;
}

/** Says that this machine has no way to an address. */
export class NoRoute extends RunnerFailure {}

/**
 * Sends the packets and returns what became of them.
 * @throws NoRoute, RunnerFailure, TargetFailure, or the signal's reason
 */
export function runPing(packets: PingPackets, signal: StopSignal): Promise<PingSummary> {
  return limited(async () => {
    if (signal.aborted) throw signal.reason;
    const { error, stdout, stderr } = await execute(packets, signal);
    if (signal.aborted) throw signal.reason;
    const summary = pingSummaryIn(stdout);
    if (summary && !isBroken(error)) return summary;
    throw failureOf(error, stderr, packets.address.address);
  });
}

/**
 * Tries ping out on this machine alone.
 * @param env the environment, of which PATH is used
 * @returns why it does not work; undefined when it does
 */
export async function tryPing(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const address: PinnedAddress = { address: "127.0.0.1", family: 4 };
  const { error, stdout, stderr } = await execute({ address, count: 2, waitMs: 500 }, undefined, env);
  const summary = pingSummaryIn(stdout);
  if (summary && summary.received > 0 && summary.roundTripMs && !isBroken(error)) return undefined;
  if (codeOf(error) === "ENOENT") return "there is no ping; install iputils-ping";
  const said = firstLineOf(stderr);
  return `ping does not reach this machine itself${said === "" ? "" : `: ${said}`}; it needs iputils-ping and the right to send ICMP echo requests (net.ipv4.ping_group_range, or CAP_NET_RAW)`;
}

interface Executed {
  error: Error | null;
  stdout: string;
  stderr: string;
}

/** True when the program did not end by itself with an answer (0) or without one (1). */
function isBroken(error: Error | null): boolean {
  return error !== null && (error as { code?: unknown }).code !== 1;
}

function execute(
  { address: { address, family }, count, waitMs }: PingPackets,
  signal: StopSignal | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Executed> {
  if (net.isIP(address) !== family)
    throw new RunnerFailure("crash", `${address} is no address of IPv${family}`);
  const options = [
    "-n", // no lookups of its own
    "-q",
    `-${family}`,
    ...["-c", String(count)],
    ...["-i", String(PING_INTERVAL_MS / 1000)],
    ...["-W", (waitMs / 1000).toFixed(3)],
  ];
  return new Promise((resolve) => {
    let child: ChildProcess | undefined;
    const onAbort = () => {
      child?.kill("SIGKILL");
    };
    child = execFile(
      "ping",
      [...options, "--", address],
      {
        env: { PATH: env.PATH, LC_ALL: "C" },
        maxBuffer: OUTPUT_BYTES_MAX,
        killSignal: "SIGKILL",
        ...(signal ? {} : { timeout: TRY_OUT_MS_MAX }),
      },
      (error, stdout, stderr) => {
        signal?.removeEventListener("abort", onAbort);
        resolve({ error, stdout, stderr });
      },
    );
    child.stdin?.on("error", () => {}).end();
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Words of ping for what this machine lacks (strerror in the C locale), and what is meant. */
const RUNNER_WORDS =
  /Operation not permitted|Permission denied|Address family not supported|Cannot assign requested address|No buffer space/;

function failureOf(error: Error | null, stderr: string, address: string): Error {
  const said = firstLineOf(stderr);
  const options = { cause: error };
  const code = codeOf(error);
  if (code !== undefined) {
    const words =
      code === "ENOENT" ? "there is no ping on this runner" : `ping could not be started: ${code}`;
    return new RunnerFailure(runnerFaultOf([code]) ?? "unsupported", words, options);
  }
  if (/Network is unreachable/.test(said))
    return new NoRoute("network", `this runner has no route to ${address} (${said})`, options);
  if (RUNNER_WORDS.test(said))
    return new RunnerFailure("network", `pinging ${address} failed: ${said}`, options);
  if (said === "")
    return new RunnerFailure("crash", `ping ended without a word (${error?.message})`, options);
  return new TargetFailure(
    {
      status: "error",
      category: "connect",
      message: `pinging ${address} failed: ${said}`,
      isNetworkError: true,
    },
    options,
  );
}

function firstLineOf(stderr: string): string {
  const [line = ""] = stderr.split("\n", 1);
  return storableText(line.replace(/^ping: /, "").slice(0, 300)).trim();
}
