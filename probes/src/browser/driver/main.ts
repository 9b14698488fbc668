/**
 * A browser driver: the process between an agent and a browser. It launches one Chromium and carries out the runs that
 * the agent asks for. Everything about a page happens in here, so that neither Playwright's work nor a hostile page is
 * ever in the agent. The driver lives as long as its stdin.
 */
import { createInterface } from "node:readline";
import { type Browser, chromium } from "playwright";
import type { Command, LaunchCommand, RunCommand } from "../protocol/messages.ts";
import { openBridge } from "./bridge.ts";
import { BROWSER_ARGUMENTS } from "./browser-arguments.ts";
import { openMessages, type SendMessage } from "./frame-writer.ts";
import { runScript } from "./run-script.ts";
import { runUrl } from "./run-url.ts";
import { tidyHeap } from "./tidy-heap.ts";
import { TraceHeader } from "./trace-header.ts";

/** Takes commands from stdin until it closes. */
export function serve(): void {
  const driver = new Driver(openMessages());
  const commands = createInterface({ input: process.stdin, terminal: false });
  commands.on("line", (line) => driver.carryOut(JSON.parse(line) as Command));
  commands.on("close", () => process.exit(0));
}

/** Loads the libraries that scripts need. */
export function loadLibraries(): Promise<unknown> {
  return import("playwright/test");
}

class Driver {
  readonly #sendMessage: SendMessage;
  #browser: Browser | undefined;
  /** Loopback ports that lead to the agent's proxy, one per lane. */
  readonly #proxyPorts: number[] = [];

  constructor(sendMessage: SendMessage) {
    this.#sendMessage = sendMessage;
  }

  carryOut(command: Command): void {
    const done = command.type === "launch" ? this.#launch(command) : this.#run(command);
    void done.catch((error: unknown) => this.#fail(error));
  }

  async #launch(command: LaunchCommand): Promise<void> {
    for (const path of command.egressSockets) this.#proxyPorts.push(await openBridge(path));
    if (command.isForScripts) await loadLibraries();
    const browser = await (command.browserEndpoint === undefined
      ? chromium.launch({
          executablePath: command.executablePath,
          chromiumSandbox: command.usesChromiumSandbox,
          args: [...BROWSER_ARGUMENTS],
          // The default for a context that sets no proxy: one that leads nowhere, or that of the only run there is.
          proxy: {
            server: `http://127.0.0.1:${command.isForScripts ? this.#proxyPorts[0] : 1}`,
            bypass: "<-loopback>",
          },
        })
      : chromium.connect(command.browserEndpoint));
    this.#browser = browser;
    browser.on("disconnected", () => this.#fail(new Error("the browser ended")));
    this.#sendMessage({ type: "ready", browserVersion: browser.version() });
  }

  async #run(command: RunCommand): Promise<void> {
    const { runId, job } = command;
    const browser = this.#browser;
    const proxyPort = this.#proxyPorts[command.lane];
    if (!browser || proxyPort === undefined) throw new Error("no browser was launched for this run");
    this.#sendMessage({ type: "started", runId });
    const traceHeader = new TraceHeader(command.traceparent);
    const parts = { browser, command, proxyPort, traceHeader, sendMessage: this.#sendMessage };
    const report = await (job.kind === "url" ? runUrl(parts) : runScript(parts));
    this.#sendMessage({ type: "done", runId, report });
    tidyHeap();
  }

  /** Ends the driver after an unexpected error. The agent starts another. */
  #fail(error: unknown): void {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#sendMessage({ type: "failed", message: message.slice(0, 4000) });
    setTimeout(() => process.exit(1), 50);
  }
}
