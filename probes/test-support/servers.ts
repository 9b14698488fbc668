/** Real local servers that behave as a test says. Each listens on a free loopback port until the test ends. */
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";
import { onTestFinished } from "vitest";

/** @returns `http://127.0.0.1:port` */
export async function httpServer(handle: http.RequestListener): Promise<string> {
  const server = http.createServer(handle);
  return `http://127.0.0.1:${await listening(server)}`;
}

/** A server that the test closes before it ends. */
export async function closableHttpServer(
  handle: http.RequestListener,
): Promise<{ url: string; close(): void }> {
  const server = http.createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A server that speaks whatever the test writes. @returns `127.0.0.1:port` */
export async function rawServer(handle: (socket: Socket) => void): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    handle(socket);
  });
  return `127.0.0.1:${await listening(server)}`;
}

/** Listens, and closes with all its connections when the test ends. @returns the port */
export async function listening(server: net.Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
