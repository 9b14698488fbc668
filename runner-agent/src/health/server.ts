/** The health port: /healthz (the process lives), /readyz (the agent can work; otherwise 503 with the reasons), /metrics. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The sources of the health port's answers. */
export interface HealthSources {
  /** Returns the reasons why the agent is not ready; empty: it is ready. */
  reasons: () => string[] | Promise<string[]>;
  /** The metrics in Prometheus' format. */
  registry: { contentType: string; metrics(): Promise<string> };
}

/** Address of the health port, and the sources of its answers. */
export interface HealthParts extends HealthSources {
  host: string;
  /** 0: any free port. */
  port: number;
}

/** A health server that listens. */
export interface HealthServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Starts the server.
 * @throws Error when the address can't be opened
 */
export async function startHealthServer({
  host,
  port,
  reasons,
  registry,
}: HealthParts): Promise<HealthServer> {
  const server: Server = createServer((request, response) => {
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/healthz") json(200, { status: "ok" });
    else if (pathname === "/readyz") {
      Promise.resolve(reasons()).then(
        (found) => {
          if (found.length === 0) json(200, { status: "ready" });
          else json(503, { status: "not ready", reasons: found });
        },
        () => json(503, { status: "not ready", reasons: ["the state can't be read"] }),
      );
    } else if (pathname === "/metrics") {
      registry.metrics().then(
        (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
        () => json(500, { error: "the metrics can't be read" }),
      );
    } else json(404, { error: "not found; there are /healthz, /readyz and /metrics" });
  });
  server.keepAliveTimeout = 5000;
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(
          `the health port ${host}:${port} can't be opened (${cause.code}); see SVC_RUNNER_HEALTH_PORT`,
          { cause },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  const { address, port: boundPort, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${boundPort}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
