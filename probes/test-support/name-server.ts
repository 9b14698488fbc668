/** A name server on loopback that answers as a test says, over UDP, TCP and HTTPS on ports of its own. */
import dgram from "node:dgram";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import packet from "dns-packet";
import { onTestFinished } from "vitest";
import type { KeyPair } from "./certificates.ts";
import { listening } from "./servers.ts";

/** A reply, as dns-packet writes it, or its bytes; undefined: silence. */
export type Answering = (
  question: packet.Question,
  asked: { id: number; over: "udp" | "tcp" | "https"; nth: number },
) => { answers?: packet.Answer[]; rcode?: number; flags?: number } | Buffer | undefined;

const RCODE_NONE = 0;

/** Starts the server on one port for UDP and TCP. @returns `127.0.0.1:port`, and how many questions came */
export async function nameServer(answering: Answering): Promise<{ resolver: string; asked: () => number }> {
  let nth = 0;
  const replyTo = (message: Buffer, over: "udp" | "tcp"): Buffer | undefined =>
    reply(answering, message, { over, nth: nth++ });
  const tcp = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const answer = replyTo(data.subarray(2), "tcp");
      if (answer) socket.write(framed(answer));
    });
  });
  const port = await listening(tcp);
  const udp = dgram.createSocket("udp4");
  udp.on("message", (message, from) => {
    const answer = replyTo(message, "udp");
    if (answer) udp.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  onTestFinished(() => {
    udp.close();
  });
  return { resolver: `127.0.0.1:${(udp.address() as AddressInfo).port}`, asked: () => nth };
}

/** Starts the server over HTTPS. @returns its URL */
export async function httpsNameServer(answering: Answering, pair: KeyPair): Promise<string> {
  let nth = 0;
  const server = https.createServer(pair, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers["content-type"] !== "application/dns-message") {
      response.writeHead(415).end();
      return;
    }
    const answer = reply(answering, Buffer.concat(chunks), { over: "https", nth: nth++ });
    response.writeHead(200, { "content-type": "application/dns-message" }).end(answer);
  });
  return `https://127.0.0.1:${await listening(server)}/dns-query`;
}

/** Returns a message with its length in front, as TCP carries it. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function reply(
  answering: Answering,
  message: Buffer,
  asked: { over: "udp" | "tcp" | "https"; nth: number },
): Buffer | undefined {
  const query = packet.decode(message);
  const [question] = query.questions ?? [];
  if (!question) return undefined;
  const id = query.id ?? 0;
  const answer = answering(question, { id, ...asked });
  if (answer === undefined || Buffer.isBuffer(answer)) return answer;
  const { answers = [], rcode = RCODE_NONE, flags = 0 } = answer;
  return packet.encode({
    type: "response",
    id,
    flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | rcode | flags,
    questions: [question],
    answers,
  });
}
