/**
 * One unary call of gRPC over HTTP/2, over a connection that is open. The server's answer is bounded in every part: bytes, messages, headers;
 * compression is neither offered nor taken.
 */
import http2 from "node:http2";
import type net from "node:net";
import { textStart } from "../base/storable-text.ts";
import { codeOf, TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";

/** Largest message that is read, bytes. */
const MESSAGE_BYTES_MAX = 4_096;
/** A message's prefix: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** Interim answers (1xx) that are passed over. */
const INTERIM_ANSWERS_MAX = 8;
/** Largest part of a status message that is kept. */
const STATUS_MESSAGE_CHARACTERS_MAX = 1_000;

/** A call's method, headers and message. */
export interface UnaryCall {
  /** True when the connection is encrypted, which the call says by its scheme. */
  isSecure: boolean;
  /** Path of the method. */
  path: string;
  /** Host and port. */
  authority: string;
  /** Headers beside those that every call has. */
  headers: http2.OutgoingHttpHeaders;
  message: Uint8Array;
}

/** The answer to a call. What has not come is absent. */
export interface UnaryAnswer {
  httpStatusCode?: number;
  /** Status that the call ended with; 0: it succeeded. */
  grpcStatus?: number;
  grpcMessage?: string;
  message?: Uint8Array;
}

/**
 * Makes the call and closes the connection. `answer` is filled in as the answer comes, also of a call that fails.
 * @throws TargetFailure when the server breaks the protocol or the connection, or the signal's reason
 */
export function callUnary(
  socket: net.Socket,
  { call, answer }: { call: UnaryCall; answer: UnaryAnswer },
  scope: RunScope,
): Promise<void> {
  const { clock, signal, url } = scope;
  clock.enter("ttfb");
  return new Promise<void>((resolve, reject) => {
    let isSettled = false;
    const settle = (act: () => void) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener("abort", onAbort);
      clock.leave();
      session.destroy();
      socket.destroy();
      act();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    const fail = (words: string, cause?: unknown) =>
      settle(() => reject(protocolFailure(`${url.host} ${words}`, cause)));

    const session = http2.connect(`${call.isSecure ? "https" : "http"}://${call.authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: 16_384 },
      maxReservedRemoteStreams: 0,
      maxSessionMemory: 1,
    });
    // The listeners stay until the objects are gone: nothing else would catch an error that comes after settling.
    session.on("error", (error) => fail(`broke the HTTP/2 connection: ${error.message}`, error));
    socket.on("error", (error) => fail(`broke the connection (${codeOf(error) ?? error.message})`, error));
    session.on("close", () => fail("closed the connection without an answer"));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();

    let stream: http2.ClientHttp2Stream;
    try {
      stream = session.request(headersOf(call));
    } catch (error) {
      // Values of metadata that stood for a secret are known only now.
      return fail(`was not called: ${(error as Error).message}`, error);
    }
    const reader = new MessageReader();
    let interimAnswers = 0;
    stream.on("error", (error) => fail(`broke the call: ${error.message}`, error));
    stream.on("headers", () => {
      if (++interimAnswers > INTERIM_ANSWERS_MAX) fail("sent one interim answer after another");
    });
    stream.on("response", (headers) => {
      clock.enter("transfer");
      answer.httpStatusCode = Number(headers[":status"]);
      readStatus(headers, answer);
      const problem = problemOf(headers);
      if (problem !== undefined) fail(problem);
    });
    stream.on("trailers", (headers) => readStatus(headers, answer));
    stream.on("data", (data: Buffer) => {
      const problem = reader.read(data);
      if (problem !== undefined) fail(problem);
    });
    stream.on("close", () => {
      if (answer.grpcStatus === undefined)
        return fail(
          stream.rstCode === http2.constants.NGHTTP2_NO_ERROR
            ? "ended the call without a status"
            : `broke the call off (HTTP/2 error ${stream.rstCode})`,
        );
      const { message } = reader;
      if (message !== undefined) answer.message = message;
      else if (answer.grpcStatus === 0) return fail("ended the call without a complete message");
      settle(resolve);
    });
    stream.end(framed(call.message));
  });
}

function protocolFailure(message: string, cause?: unknown): TargetFailure {
  return new TargetFailure({ status: "error", category: "protocol", message }, { cause });
}

function headersOf({ isSecure, path, authority, headers }: UnaryCall): http2.OutgoingHttpHeaders {
  return {
    ":method": "POST",
    ":scheme": isSecure ? "https" : "http",
    ":path": path,
    ":authority": authority,
    "content-type": "application/grpc",
    te: "trailers",
    "grpc-accept-encoding": "identity",
    ...headers,
  };
}

/** Returns why an answer with these headers is none of gRPC; undefined when it may be one. */
function problemOf(headers: http2.IncomingHttpHeaders): string | undefined {
  const status = headers[":status"];
  if (Number(status) !== 200) return `answered with HTTP status ${status}, not with gRPC`;
  const type = headers["content-type"];
  if (!/^application\/grpc(?:[+;]|$)/i.test(type ?? ""))
    return type === undefined
      ? "answered without a content type, not with gRPC"
      : `answered with content of the type ${textStart(type, 100)}, not with gRPC`;
  const encoding = headers["grpc-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    return "answered with a compressed message, which was not offered";
  return undefined;
}

/** Puts the status that stands in headers, or in trailers, into the answer. */
function readStatus(headers: http2.IncomingHttpHeaders, answer: UnaryAnswer): void {
  const status = first(headers["grpc-status"]);
  // A status that is no number is UNKNOWN (2), as the protocol says.
  if (status !== undefined) answer.grpcStatus = /^\d{1,9}$/.test(status) ? Number(status) : 2;
  const message = first(headers["grpc-message"]);
  if (message !== undefined) answer.grpcMessage = decoded(message);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Returns a percent-encoded message as text; one that is wrongly encoded stays as it is. */
function decoded(message: string): string {
  let text = message;
  try {
    text = decodeURIComponent(message);
  } catch {
    // The protocol forbids to fail over it.
  }
  return textStart(text, STATUS_MESSAGE_CHARACTERS_MAX);
}

/** Returns a message with its prefix. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Reads the one message of an answer from its parts. */
class MessageReader {
  /** The message, once it has come as a whole. */
  message: Uint8Array | undefined;
  #received: Buffer = Buffer.alloc(0);

  /** Takes a part. @returns why it is none of a single message; undefined when it is */
  read(data: Buffer): string | undefined {
    if (data.length === 0) return undefined;
    if (this.message !== undefined) return "sent more than one message";
    if (this.#received.length + data.length > PREFIX_BYTES + MESSAGE_BYTES_MAX) {
      if (this.#received.length < PREFIX_BYTES)
        this.#received = Buffer.concat([this.#received, data.subarray(0, PREFIX_BYTES)]);
      return this.#problemOfPrefix() ?? "sent more than one message";
    }
    this.#received = Buffer.concat([this.#received, data]);
    if (this.#received.length < PREFIX_BYTES) return undefined;
    const problem = this.#problemOfPrefix();
    if (problem !== undefined) return problem;
    const end = PREFIX_BYTES + this.#received.readUInt32BE(1);
    if (this.#received.length > end) return "sent more than one message";
    if (this.#received.length === end) this.message = this.#received.subarray(PREFIX_BYTES);
    return undefined;
  }

  #problemOfPrefix(): string | undefined {
    if (this.#received[0] !== 0) return "answered with a compressed message, which was not offered";
    const length = this.#received.readUInt32BE(1);
    return length > MESSAGE_BYTES_MAX
      ? `answered with a message of ${length} bytes; the largest that is read has ${MESSAGE_BYTES_MAX}`
      : undefined;
  }
}
