/** What a command line sees of the machine it runs on; a test gives its own. */

export interface Stream {
  write(text: string): void;
  isTty: boolean;
  /** Width of the terminal now. */
  columns(): number;
}

/** The terminal itself, for a full-screen view. */
export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  /** Calls `restore` when the process ends, however that comes. @returns forgets it */
  beforeExit(restore: () => void): () => void;
}

export interface System {
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths begin at. */
  cwd: string;
  homeFolder: string;
  stdout: Stream;
  stderr: Stream;
  stdinIsTty: boolean;
  /** Aborted by Ctrl+C or a request to end. */
  interrupted: AbortSignal;
  /** Unix ms. */
  nowMs(): number;
  /** Asks the person at the terminal; resolves with the line they typed. Absent when there is nobody. */
  ask?(question: string, signal: AbortSignal): Promise<string>;
  /** Returns after so many milliseconds, or once the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  hostName: string;
  /** Opens an address in the person's browser; rejects when that fails. Absent where there is no desktop. */
  openBrowser?(url: string): Promise<void>;
  /** Absent when stdin or stdout is none. */
  terminal?: Terminal;
  /** Default: the platform's. */
  fetch?: typeof fetch;
}
