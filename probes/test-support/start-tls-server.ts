/** A server that begins in plain text and speaks TLS when it is asked to, as a test says. */
import type { Socket } from "node:net";
import net from "node:net";
import tls from "node:tls";
import { listening } from "./servers.ts";

/** What a server says in turn: it waits for each text, and answers with the next. */
interface Script {
  /** Sent at once; absent: nothing. */
  greeting?: string | undefined;
  /** Requests as they must come, and their answers. */
  turns: readonly (readonly [request: string | Buffer, answer: string])[];
  /** Sent in plain text right behind the last answer. */
  smuggled?: string;
}

/** Starts a server that plays the turns and then speaks TLS. @returns the port */
export async function startTlsServer(
  script: Script,
  {
    key,
    cert,
    onSecure = () => {},
    requestCert = false,
    ca,
  }: {
    key: string;
    cert: string;
    onSecure?: (socket: tls.TLSSocket) => void;
    requestCert?: boolean;
    ca?: string;
  },
): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    if (script.greeting !== undefined) socket.write(script.greeting);
    playTurns(socket, [...script.turns], () => {
      if (script.smuggled !== undefined) socket.write(script.smuggled);
      const secured = new tls.TLSSocket(socket, {
        isServer: true,
        requestCert,
        rejectUnauthorized: requestCert,
        secureContext: tls.createSecureContext({ key, cert, ...(ca === undefined ? {} : { ca }) }),
      });
      secured.on("error", () => {});
      secured.once("secure", () => onSecure(secured));
    });
  });
  return listening(server);
}

function playTurns(socket: Socket, turns: Script["turns"][number][], done: () => void): void {
  const [turn, ...others] = turns;
  if (!turn) {
    done();
    return;
  }
  const [request, answer] = turn;
  socket.once("data", (data) => {
    const isExpected =
      typeof request === "string" ? data.toString("latin1") === request : data.equals(request);
    if (!isExpected) {
      socket.destroy();
      return;
    }
    if (others.length === 0) socket.pause();
    socket.write(answer, () => playTurns(socket, others, done));
  });
}
