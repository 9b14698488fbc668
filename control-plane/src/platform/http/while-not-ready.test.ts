import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import fastify from "fastify";
import { expect, it } from "vitest";
import type { ApiApp } from "./api.ts";
import { handleErrors } from "./error-handler.ts";
import { refuseWhileClosing } from "./while-not-ready.ts";

it("a request that comes while the server closes is refused by the usual envelope", async () => {
  const app = fastify({ return503OnClosing: false, forceCloseConnections: "idle" });
  handleErrors(app);
  refuseWhileClosing(app as unknown as ApiApp);
  app.get("/", async () => ({ ok: true }));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = net.connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    answer += part;
  });
  // A request that has begun keeps its connection open.
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n");
  await expect
    .poll(() => new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count))))
    .toBe(1);
  const isClosing = new Promise<void>((resolve) => app.server.once("close", resolve));
  const closed = app.close();
  await new Promise((resolve) => setImmediate(resolve));
  socket.write("\r\n");
  await once(socket, "close");
  await Promise.all([closed, isClosing]);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/^retry-after: 1\r$/m);
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toEqual({
    error: "The service is stopping; try again",
  });
});
