/** Serves one stream of an agent: its Hello opens a session, which lives until the stream ends. */
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { SessionRequest, SessionResponse } from "@svc/proto/svc/runner/v1/runner_pb";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import type { Services } from "../platform/services.ts";
import { systemTiming, type Timing } from "../platform/timing.ts";
import type { Fleet } from "./fleet.ts";
import { parseHello } from "./hello.ts";
import { toConnectError } from "./rpc-errors.ts";
import { RUNNER_KEY } from "./rpc-handler.ts";
import type { Session } from "./session.ts";

/** Time within which a connected agent must send its Hello. */
const HELLO_TIMEOUT_MS = 10_000;

/** The parts of the service that streams use. */
export interface ServeSessionParts {
  services: Pick<Services, "log">;
  fleet: Pick<Fleet, "sessions">;
  /** Default: the process's own. */
  timing?: Timing;
}

/**
 * Yields the answers to a stream until it ends. The context holds the runner key of the request, and its signal aborts when
 * the agent has gone.
 * @throws ConnectError
 */
export async function* serveSession(
  { services, fleet, timing = systemTiming }: ServeSessionParts,
  requests: AsyncIterable<SessionRequest>,
  context: Pick<HandlerContext, "signal" | "values">,
): AsyncGenerator<SessionResponse> {
  let session: Session | undefined;
  try {
    const key = runnerKeyOf(context);
    const incoming = decodable(requests);
    const hello = parseHello(await firstMessage(incoming, context.signal, timing));
    session = await fleet.sessions.open(key, hello);
    readInBackground(session, incoming, context.signal);
    yield* session.outgoing;
  } catch (error) {
    // An agent that left gets no error, and the failed writes to its stream are no fault worth a log line.
    if (context.signal.aborted) throw new ConnectError("the agent has gone", Code.Canceled);
    throw toConnectError(error, services.log);
  } finally {
    if (session) await fleet.sessions.close(session);
  }
}

/** Returns the runner key of a request. */
export function runnerKeyOf({ values }: Pick<HandlerContext, "values">): RunnerKeyRow {
  const key = values.get(RUNNER_KEY);
  if (!key) throw new ConnectError("no runner key", Code.Unauthenticated);
  return key;
}

/** Yields the messages. One that can't be decoded is the agent's fault, although the library calls it an internal error. */
async function* decodable(requests: AsyncIterable<SessionRequest>): AsyncGenerator<SessionRequest> {
  try {
    yield* requests;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.Internal)
      throw new ConnectError(`a message can't be decoded: ${error.rawMessage}`, Code.InvalidArgument);
    throw error;
  }
}

async function firstMessage(
  incoming: AsyncIterator<SessionRequest>,
  signal: AbortSignal,
  { setTimer }: Timing,
): Promise<SessionRequest | undefined> {
  let cancel = () => {};
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new ConnectError("no Hello came in time", Code.DeadlineExceeded));
    cancel = setTimer(giveUp, HELLO_TIMEOUT_MS);
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    const { value, done } = await Promise.race([incoming.next(), timeout]);
    return done ? undefined : value;
  } finally {
    cancel();
  }
}

function readInBackground(
  session: Session,
  incoming: AsyncIterator<SessionRequest>,
  signal: AbortSignal,
): void {
  signal.addEventListener("abort", () => session.end(), { once: true });
  void session
    .read({ [Symbol.asyncIterator]: () => incoming })
    .then(() => session.finish())
    .catch((error) => session.end(error));
}
