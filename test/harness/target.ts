/** A web server to be watched: counts what it is asked, answers as the test says. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Target {
  url: string;
  /** Requests seen, by path. */
  hits: Map<string, number>;
  /** Status code of the next answers. */
  answerWith(statusCode: number): void;
  /** Time before each answer, ms. */
  delayBy(ms: number): void;
  close(): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const hits = new Map<string, number>();
  let statusCode = 200;
  let delayMs = 0;
  const server = http.createServer((request, response) => {
    const path = request.url ?? "/";
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const answer = () => response.writeHead(statusCode, { "content-type": "text/plain" }).end("ok");
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hits,
    answerWith(code) {
      statusCode = code;
    },
    delayBy(ms) {
      delayMs = ms;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
