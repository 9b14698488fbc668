/** A webhook's other side: keeps what it was sent. */
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface Receiver<Body> {
  url: string;
  /** In their order. */
  bodies: Body[];
  close(): void;
}

export async function startReceiver<Body>(): Promise<Receiver<Body>> {
  const bodies: Body[] = [];
  const server = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text) as Body);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
