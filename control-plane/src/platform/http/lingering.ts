/**
 * Lets a client whose request is refused send the rest of its body before the connection ends: a connection that ends while its
 * client still sends is reset, and the client loses the answer that says why. What is sent is dropped, up to a number of bytes
 * and a time.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

/** Limits of what a client may send after it was answered. */
export interface LingeringLimits {
  bytesMax: number;
  durationMsMax: number;
}

/** The largest body of any route, and the time in which a client of today sends that much. */
const LIMITS: LingeringLimits = { bytesMax: 16 * 1024 * 1024, durationMsMax: 5_000 };

/** Makes connections stay open while a body arrives that was answered before it was read to its end. */
export function lingerOnUnreadBodies(app: FastifyInstance, limits: LingeringLimits = LIMITS): void {
  app.addHook("onSend", async (request, reply) => {
    const { raw } = request;
    const hasBody = "transfer-encoding" in raw.headers || Number(raw.headers["content-length"]) > 0;
    if (raw.complete || !hasBody) return;
    void reply.removeHeader("connection");
    linger(raw, reply.raw, limits);
  });
}

function linger(request: IncomingMessage, response: ServerResponse, limits: LingeringLimits): void {
  const { socket } = request;
  const isLast = !response.shouldKeepAlive;
  // Else the connection would end with the answer.
  response.shouldKeepAlive = true;
  let bytes = 0;
  const timer = setTimeout(() => request.destroy(), limits.durationMsMax).unref();
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.bytesMax) request.destroy();
  });
  request.once("end", () => {
    if (isLast) socket.end();
  });
  request.once("close", () => clearTimeout(timer));
}
