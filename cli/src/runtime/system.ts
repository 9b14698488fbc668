/** The machine that a command line runs on, as far as commands may use it. Tests hand in their own. */
import type { Stream } from "../output/stream.ts";

/** The terminal itself, for a full-screen view. */
export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /**
   * Calls `restore` when the process ends, for whatever reason.
   * @returns a function that cancels the call
   */
  beforeExit(restore: () => void): () => void;
}

/** Streams, environment, clock and desktop of the machine. */
export interface System {
  /** The operating system, as Node names it. */
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  cwd: string;
  homeFolder: string;
  stdout: Stream;
  stderr: Stream;
  stdinIsTty: boolean;
  /** Resolves with the whole text of stdin; rejects when the signal aborts. */
  readStdin?(signal: AbortSignal): Promise<string>;
  /** The process's own stdin and stdout, for a command that speaks a protocol over them. Absent where there are none. */
  stdio?: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };
  /** Aborted by Ctrl+C and the other signals that ask a process to end. */
  interrupted: AbortSignal;
  /** Returns the wall time in Unix ms. */
  nowMs(): number;
  /** Returns the time of a clock that is never set back, ms; its origin is arbitrary. For durations and deadlines. */
  monotonicMs(): number;
  /** Asks the person at the terminal and resolves with the line they typed. Absent when nobody is there. */
  ask?(question: string, signal: AbortSignal): Promise<string>;
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  hostName: string;
  /** Opens an address in the person's browser; rejects when that fails. Absent on a machine without a desktop. */
  openBrowser?(url: string): Promise<void>;
  /** Absent unless both stdin and stdout are terminals. */
  terminal?: Terminal;
  /** Sends requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
}
