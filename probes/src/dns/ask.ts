/** Asks a name server over UDP, TCP or HTTPS. */
import type dgram from "node:dgram";
import type net from "node:net";
import { addressesOf } from "../connection/dial.ts";
import { openSocket } from "../connection/way.ts";
import { ResponseBody } from "../http/body.ts";
import { followRedirects } from "../http/follow-redirects.ts";
import { codeOf, RunnerFailure, runnerFaultOf, TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";
import { noReply, type Question, type Reply, replyTo } from "./message.ts";

/** How long a reply over UDP is waited for before the question is sent again, ms: packets get lost. */
const RESEND_AFTER_MS = 2_000;
/** Most packets that are no reply to the question; more come from somebody who guesses. */
const STRANGE_PACKETS_MAX = 100;

/** Asks over UDP, and again over TCP when the reply was cut. */
export async function askUdp(server: URL, question: Question, scope: RunScope): Promise<Reply> {
  const addresses = await addressesOf(server.hostname, scope);
  scope.clock.enter("ttfb");
  let socket: dgram.Socket;
  try {
    const target = { hostname: server.hostname, addresses, port: Number(server.port) };
    socket = await scope.egress.openDatagram(target);
  } catch (error) {
    throw brokenUdp(server, error);
  }
  try {
    const reply = await replyOverUdp(socket, { server, question }, scope);
    if (!reply.isTruncated) return reply;
  } finally {
    scope.clock.leave();
    socket.close();
  }
  return askTcp(server, question, scope);
}

function replyOverUdp(
  socket: dgram.Socket,
  { server, question }: { server: URL; question: Question },
  { signal }: RunScope,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let strange = 0;
    const send = () =>
      socket.send(question.bytes, (error) => error && settle(() => reject(brokenUdp(server, error))));
    const timer = setInterval(send, RESEND_AFTER_MS);
    const settle = (end: () => void) => {
      clearInterval(timer);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("message", (message) => {
      const reply = replyTo(question, message);
      if (reply) settle(() => resolve(reply));
      else if (++strange >= STRANGE_PACKETS_MAX) settle(() => reject(noReply(server.host, message)));
    });
    socket.on("error", (error) => settle(() => reject(brokenUdp(server, error))));
    send();
  });
}

function brokenUdp(server: URL, error: unknown): Error {
  const code = codeOf(error);
  const fault = runnerFaultOf([code]);
  if (fault) return new RunnerFailure(fault, `asking ${server.host} failed: ${code}`, { cause: error });
  if (code === undefined) return error as Error;
  const why = code === "ECONNREFUSED" ? "nothing listens on this port for UDP" : code;
  return new TargetFailure(
    {
      status: "error",
      category: "connect",
      message: `asking ${server.host} failed: ${why}`,
      isNetworkError: true,
    },
    { cause: error },
  );
}

/** Asks over TCP: each message has its length in front (RFC 1035, 4.2.2). */
export async function askTcp(server: URL, question: Question, scope: RunScope): Promise<Reply> {
  const socket = await openSocket(server, scope);
  scope.clock.enter("ttfb");
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(question.bytes.length);
    socket.write(Buffer.concat([length, question.bytes]));
    const message = await messageOf(socket, server, scope);
    const reply = replyTo(question, message);
    if (!reply) throw noReply(server.host, message);
    return reply;
  } finally {
    scope.clock.leave();
    socket.destroy();
  }
}

/** Reads one message, of 64 KiB at most. */
function messageOf(socket: net.Socket, server: URL, { signal }: RunScope): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let first: number | undefined;
    const settle = (end: () => void) => {
      socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onError);
      signal.removeEventListener("abort", onAbort);
      end();
    };
    const onData = (data: Buffer) => {
      chunks.push(data);
      bytes += data.length;
      if (bytes < 2) return;
      first ??= Buffer.concat(chunks).readUInt16BE(0);
      if (bytes >= first + 2) settle(() => resolve(Buffer.concat(chunks).subarray(2, (first as number) + 2)));
    };
    const onEnd = () => settle(() => reject(broken("it closed the connection without a reply")));
    const onError = (error: Error) => settle(() => reject(broken(codeOf(error) ?? error.message)));
    const onAbort = () => settle(() => reject(signal.reason));
    const broken = (why: string) =>
      new TargetFailure({
        status: "error",
        category: "connect",
        message: `asking ${server.host} failed: ${why}`,
        isNetworkError: true,
      });
    if (signal.aborted) return onAbort();
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onError);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Asks over HTTPS (RFC 8484). */
export async function askHttps(server: URL, question: Question, scope: RunScope): Promise<Reply> {
  const type = "application/dns-message";
  const response = await followRedirects(
    {
      url: server,
      method: "POST",
      headers: [
        ["Accept", type],
        ["Content-Type", type],
      ],
      host: undefined,
      body: question.bytes,
    },
    { followRedirects: false, maxRedirects: 0 },
    scope,
  );
  const { httpStatusCode, headers } = response;
  const contentType = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (httpStatusCode !== 200 || contentType !== type)
    throw new TargetFailure({
      status: "error",
      category: "http",
      message: `${server.host} answered with status ${httpStatusCode} and content type ${contentType ?? "none"}; expected 200 and ${type}`,
    });
  const body = new ResponseBody(response, scope.bodyClaim);
  await body.prepare();
  const message = Buffer.from(body.bytes());
  const reply = replyTo(question, message);
  if (!reply) throw noReply(server.host, message);
  return reply;
}
