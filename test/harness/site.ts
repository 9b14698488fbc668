/** Sites that tests let browsers and probes visit. */
import { once } from "node:events";
import http from "node:http";
import type https from "node:https";
import type { AddressInfo } from "node:net";

/** A server on a loopback port of its own. */
export interface Site {
  port: number;
  /** Origin with a slash at its end: `http://127.0.0.1:port/`. */
  url: string;
  /** Cuts every connection and closes the port. */
  close(): void;
}

/** Starts a site that answers by a listener, or a server that was made already. */
export async function startSite(listener: http.RequestListener | http.Server | https.Server): Promise<Site> {
  const server = typeof listener === "function" ? http.createServer(listener) : listener;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
