/** Ctrl+C and its kin: the first asks a command to end, the second ends it. */

/** Where a process hears of signals; a part of `process`. */
interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** The interruption of a command line: whether it came, and a way to cause it. */
export interface Interruption {
  /** Aborted by the first interruption. */
  signal: AbortSignal;
  /** Interrupts as Ctrl+C does. */
  interrupt: () => void;
  /** Listens no more. */
  end: () => void;
}

/**
 * Returns the signals that ask a command to end. On Windows no process gets SIGTERM from another one; there Ctrl+Break is
 * SIGBREAK, and a console window that is closed sends SIGHUP and ends the process some seconds later.
 */
function interruptSignals(platform: NodeJS.Platform): NodeJS.Signals[] {
  return platform === "win32" ? ["SIGINT", "SIGBREAK", "SIGHUP"] : ["SIGINT", "SIGTERM"];
}

/**
 * Listens to the signals that ask a command to end.
 * @param endNow ends the process at once
 */
export function listenForInterruption(
  source: SignalSource,
  platform: NodeJS.Platform,
  endNow: () => void,
): Interruption {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) endNow();
    controller.abort();
  };
  const signals = interruptSignals(platform);
  for (const signal of signals) source.on(signal, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    end: () => {
      for (const signal of signals) source.off(signal, interrupt);
    },
  };
}
