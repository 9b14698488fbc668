/** The probe of TCP checks: connects, with TLS or without, sends a text and looks for another in what comes back. */
import type net from "node:net";
import type { CheckConfigOf, ResultDetail } from "@svc/contract";
import { openSocket } from "../connection/dial.ts";
import { wishesOf } from "../connection/own-tls.ts";
import { openTrusted } from "../connection/secure.ts";
import { runMeasured, targetUrl } from "../measured-run/measured-run.ts";
import type { Probe } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { receiveUntil } from "./receive.ts";

type TcpConfig = CheckConfigOf<"tcp">;

/** Carries out one run of a TCP check. */
export const tcpProbe = {
  type: "tcp",
  needsHost: false,
  run(request, context) {
    const config = request.config as TcpConfig;
    const { host, port, timeoutMs, assertions } = config;
    return runMeasured(request, context, {
      url: targetUrl("tcp", host, port),
      timeoutMs,
      assertions,
      measure: (scope, detail) => talk(config, { scope, detail, team: context.team }),
    });
  },
} as const satisfies Probe;

async function talk(
  config: TcpConfig,
  { scope, detail, team }: { scope: RunScope; detail: Partial<ResultDetail>; team: string | undefined },
): Promise<number | undefined> {
  const { send, expectContains, expectMatches, timeoutMs } = config;
  const socket = await open(config, scope);
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

async function open(config: TcpConfig, scope: RunScope): Promise<net.Socket> {
  if (!config.tls) return openSocket(scope.url, scope);
  return (await openTrusted(scope.url, wishesOf(config, scope), scope)).socket;
}
