/** The probe of TCP checks: connects, with TLS or without, sends a text and looks for another in what comes back. */
import type net from "node:net";
import type { CheckConfigOf } from "@svc/contract";
import { openPort } from "../connection/own-tls.ts";
import { type PortAttempt, portProbe } from "../measured-run/port-probe.ts";
import { receiveUntil } from "./receive.ts";

/** Carries out one run of a TCP check. */
export const tcpProbe = portProbe("tcp", talk);

async function talk(
  config: CheckConfigOf<"tcp">,
  { scope, detail, context: { team } }: PortAttempt,
): Promise<number | undefined> {
  const { send, expectContains, expectMatches, timeoutMs } = config;
  const socket = await openPort(config, scope);
  try {
    const expected = { contains: expectContains, matches: expectMatches };
    if (send !== undefined) socket.write(send);
    if (expectContains === undefined && expectMatches === undefined) return undefined;
    return await receiveUntil(socket, { expected, timeoutMs, team, scope, detail });
  } finally {
    close(socket, send !== undefined);
  }
}

/** How long the rest of what is to be sent may take after the run. */
const LINGER_MS = 1_000;

/** Closes the connection; one that sends is closed once everything is sent, or the other side takes nothing any more. */
function close(socket: net.Socket, isSending: boolean): void {
  if (!isSending) {
    socket.destroy();
    return;
  }
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  socket.destroySoon();
}
