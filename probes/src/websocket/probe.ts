/** The probe of WebSocket checks: makes the handshake, sends a message and looks for another among those that come. */
import type { CheckConfigOf, ResultDetail } from "@svc/contract";
import { openPort } from "../connection/own-tls.ts";
import { type ExpectedText, lackOf, unexpected } from "../measured-run/expected-text.ts";
import { runMeasured } from "../measured-run/measured-run.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import { TargetFailure } from "../run/failures.ts";
import type { Probe, ProbeContext } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { MessageStream } from "./message-stream.ts";

type WebsocketConfig = CheckConfigOf<"websocket">;

/** Carries out one run of a WebSocket check. */
export const websocketProbe = {
  type: "websocket",
  needsHost: false,
  run(request, context) {
    const config = request.config as WebsocketConfig;
    const { url, timeoutMs, assertions } = config;
    return runMeasured(request, context, {
      url: new URL(url),
      timeoutMs,
      assertions,
      connection: connectionSettingsOf(config, []),
      measure: (scope, detail) => talk(config, { scope, detail, context }),
    });
  },
} as const satisfies Probe;

interface Talk {
  scope: RunScope;
  detail: Partial<ResultDetail>;
  context: ProbeContext;
}

async function talk(config: WebsocketConfig, { scope, detail, context }: Talk): Promise<number | undefined> {
  const { headers = {}, subprotocols = [], send, expectContains, expectMatches } = config;
  const socket = await openPort({ ...config, tls: scope.url.protocol === "wss:" }, scope, "http/1.1");
  const hasOwnName = Object.keys(headers).some((name) => name.toLowerCase() === "user-agent");
  const stream = new MessageStream(
    socket,
    { headers: { ...(hasOwnName ? {} : { "User-Agent": context.userAgent }), ...headers }, subprotocols },
    scope,
  );
  try {
    await stream.opened();
    if (send !== undefined) await stream.send(send);
    if (expectContains === undefined && expectMatches === undefined) return undefined;
    const expected = { contains: expectContains, matches: expectMatches };
    return await expectedMessage(stream, { expected, config, team: context.team, scope });
  } finally {
    scope.clock.leave();
    detail.websocketJson = stream.evidence();
    stream.close();
  }
}

/** Reads until a message is as expected. @returns when it came, by monotonicUs */
async function expectedMessage(
  stream: MessageStream,
  parts: {
    expected: ExpectedText;
    config: WebsocketConfig;
    team: string | undefined;
    scope: RunScope;
  },
): Promise<number> {
  const { expected, config, team, scope } = parts;
  let lack: string | undefined;
  try {
    for (;;) {
      const message = await stream.next();
      if (typeof message === "string") throw unexpected(`${message}, and ${lack ?? "no message came"}`);
      lack = await lackOf(message.text, expected, team);
      if (message.text === "") lack &&= "an empty message came";
      if (lack === undefined) {
        scope.clock.leave(message.receivedAtUs);
        return message.receivedAtUs;
      }
    }
  } catch (error) {
    // A server that said something else than expected, and waits, did answer.
    if (error === scope.signal.reason && error instanceof TargetFailure && lack !== undefined)
      throw unexpected(
        `within ${config.timeoutMs} ms ${counted(stream.evidence().receivedMessages)} came, and of the last one ${lack}`,
      );
    throw error;
  }
}

function counted(messages: number): string {
  return messages === 1 ? "1 message" : `${messages} messages`;
}
