/** A TCP proxy on loopback that can play a broken network between two processes. */
import { once } from "node:events";
import net from "node:net";

/** up: passes bytes on; blackhole: keeps connections open and swallows what they send; refuse: ends every connection. */
type ProxyMode = "up" | "blackhole" | "refuse";

export interface TcpProxy {
  port: number;
  setMode(mode: ProxyMode): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port that forwards to a port on 127.0.0.1 or to a Unix socket's path. */
export async function startTcpProxy(target: number | string): Promise<TcpProxy> {
  let mode: ProxyMode = "up";
  const pairs = new Set<{ client: net.Socket; upstream: net.Socket }>();

  const server = net.createServer((client) => {
    if (mode === "refuse") {
      client.destroy();
      return;
    }
    const upstream = typeof target === "number" ? net.connect(target, "127.0.0.1") : net.connect(target);
    const pair = { client, upstream };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.on("data", (bytes) => mode === "up" && upstream.write(bytes));
    upstream.on("data", (bytes) => mode === "up" && client.write(bytes));
  });
  const cutAll = () => {
    for (const { client, upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    port: (server.address() as net.AddressInfo).port,
    setMode(next) {
      mode = next;
      if (next === "refuse") cutAll();
    },
    async close() {
      cutAll();
      server.close();
      await once(server, "close");
    },
  };
}
