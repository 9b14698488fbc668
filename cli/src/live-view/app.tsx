/** Shows the full-screen view: connects state, lines, keys and size by ink. Loaded only by `svc dashboard`. */
import { Box, render, Text, useInput } from "ink";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Output } from "../output/output.ts";
import type { Terminal } from "../runtime/system.ts";
import { keysOf } from "./keys.ts";
import type { LiveView } from "./live-view.ts";
import { type Size, type Surroundings, viewLines } from "./view-lines.ts";

/** The view to show, the terminal to show it in, and the writer that masks secrets. */
export interface AppProps {
  out: Output;
  liveView: LiveView;
  terminal: Terminal;
  surroundings(): Omit<Surroundings, "size">;
}

/** Switches to the alternate screen of the terminal, and back, with the cursor shown again. */
const ENTER = "\u001b[?1049h\u001b[H";
const LEAVE = "\u001b[?1049l\u001b[?25h";

/** Shows the view until the signal aborts, and restores the terminal, whatever happened. */
export async function showLiveView(props: AppProps, signal: AbortSignal): Promise<void> {
  const { stdin, stdout, beforeExit } = props.terminal;
  const leave = () => void stdout.write(LEAVE);
  const forget = beforeExit(leave);
  stdout.write(ENTER);
  const app = render(<App {...props} />, { stdin, stdout, exitOnCtrlC: false, patchConsole: false });
  signal.addEventListener("abort", () => app.unmount());
  if (signal.aborted) app.unmount();
  try {
    await app.waitUntilExit();
  } finally {
    forget();
    leave();
  }
}

function App({ out, liveView, terminal, surroundings }: AppProps) {
  const state = useSyncExternalStore(liveView.subscribe, liveView.getState);
  const size = useSize(terminal.stdout);
  useInput((input, key) => {
    for (const one of keysOf(input, key)) liveView.press(one);
  });
  return (
    <Box flexDirection="column">
      {viewLines(out, state, { ...surroundings(), size }).map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its index
        <Text key={i} wrap="truncate">
          {line === "" ? " " : line}
        </Text>
      ))}
    </Box>
  );
}

function useSize(stdout: NodeJS.WriteStream): Size {
  const read = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const resized = () => setSize(read());
    stdout.on("resize", resized);
    return () => void stdout.off("resize", resized);
  });
  return size;
}
