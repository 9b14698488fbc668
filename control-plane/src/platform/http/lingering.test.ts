import { once } from "node:events";
import net from "node:net";
import fastify from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import { type LingeringLimits, lingerOnUnreadBodies } from "./lingering.ts";

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts a server that takes bodies of 1 KiB, and connects a client that reads nothing by itself. */
async function connect(limits?: LingeringLimits) {
  const app = fastify({ bodyLimit: 1024 });
  lingerOnUnreadBodies(app, limits);
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers.authorization === undefined) await reply.code(401).send({ error: "no key" });
  });
  app.post("/", async () => ({ ok: true }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = net.connect((app.server.address() as net.AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {}); // shows where it is awaited
  closing.push(
    async () => socket.destroy(),
    () => app.close(),
  );
  return socket;
}

const head = (lines: string[]) =>
  `${["POST / HTTP/1.1", "Host: a", "Content-Type: application/json", ...lines].join("\r\n")}\r\n\r\n`;
const KEY = "Authorization: Bearer a";

/** Sends bytes as fast as the server reads them. @throws when the connection breaks before all are sent */
async function sendAll(socket: net.Socket, bytes: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024, " ");
  for (let sent = 0; sent < bytes; sent += piece.length)
    if (!socket.write(piece.subarray(0, bytes - sent))) await once(socket, "drain");
}

async function readUntil(socket: net.Socket, isEnough: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (isEnough(text)) break;
  }
  return text;
}

describe("a client that sends its whole body before it reads", () => {
  it.each([
    ["larger than the route takes", [KEY], 413],
    ["without a key", [], 401],
  ])("%s gets the answer, and may ask again on its connection", async (_name, lines, status) => {
    const socket = await connect();
    socket.write(head([...lines, `Content-Length: ${8 * MIB}`]));
    await sendAll(socket, 8 * MIB);
    const isWhole = (text: string) => text.endsWith("}");
    expect(await readUntil(socket, isWhole)).toContain(`HTTP/1.1 ${status} `);
    socket.write(`${head([KEY, "Content-Length: 2"])}{}`);
    expect(await readUntil(socket, isWhole)).toMatch(/^HTTP\/1.1 200 .*\{"ok":true\}$/s);
  });

  it("of unknown length gets the answer", async () => {
    const socket = await connect();
    socket.write(head([KEY, "Transfer-Encoding: chunked"]));
    socket.write(`${(4 * MIB).toString(16)}\r\n`);
    await sendAll(socket, 4 * MIB);
    socket.write("\r\n0\r\n\r\n");
    expect(await readUntil(socket, (text) => text.endsWith("}"))).toContain("HTTP/1.1 413 ");
  });

  it("and asked to close the connection gets the answer and the end of the connection", async () => {
    const socket = await connect();
    socket.write(head([KEY, "Connection: close", `Content-Length: ${8 * MIB}`]));
    await sendAll(socket, 8 * MIB);
    expect(await readUntil(socket, () => false)).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe("a client that goes on sending", () => {
  it("is cut off after so many bytes", async () => {
    const socket = await connect({ bytesMax: MIB, durationMsMax: HOUR_MS });
    socket.write(head([KEY, `Content-Length: ${1024 * MIB}`]));
    await expect(sendAll(socket, 256 * MIB)).rejects.toThrow(/EPIPE|ECONNRESET/);
  });

  it("slowly is cut off after so much time", async () => {
    const socket = await connect({ bytesMax: MIB, durationMsMax: 1 });
    socket.write(head([KEY, `Content-Length: ${MIB}`]));
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
  });
});

it("a body that is read costs its connection nothing", async () => {
  const socket = await connect({ bytesMax: 1, durationMsMax: 1 });
  for (let nth = 0; nth < 3; nth++) {
    socket.write(`${head([KEY, "Content-Length: 2"])}{}`);
    expect(await readUntil(socket, (text) => text.endsWith("}"))).toContain("HTTP/1.1 200 ");
  }
});
