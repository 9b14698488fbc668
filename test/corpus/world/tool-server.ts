/** The reference MCP server behind a proxy at http://tools.example/mcp that can spoil its answers. */
import http from "node:http";
import { startReferenceMcpServer } from "../../harness/mcp-server.ts";

/** Spoils an answer of the server to a request of this method; returns the answer to send, or undefined when it has answered itself. */
export type Spoil = (
  exchange: { method: string; answer: string },
  response: http.ServerResponse,
) => string | undefined | Promise<string | undefined>;

/** The server, and the listener to serve it by. */
export interface ToolServer {
  respond(spoil?: Spoil): http.RequestListener;
  close(): Promise<void>;
}

/** Starts the reference server. */
export async function startToolServer(): Promise<ToolServer> {
  const { endpoint, process } = await startReferenceMcpServer();
  return {
    respond: (spoil) => (request, response) => void forward(endpoint, { request, response, spoil }),
    close: async () => {
      await process.kill9();
    },
  };
}

async function forward(
  endpoint: string,
  {
    request,
    response,
    spoil,
  }: { request: http.IncomingMessage; response: http.ServerResponse; spoil: Spoil | undefined },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { host: _host, connection: _connection, ...headers } = request.headers;
  const onward = http.request(endpoint, { method: request.method, headers }, async (incoming) => {
    const parts: Buffer[] = [];
    if (request.method === "GET") return void incoming.pipe(response.writeHead(incoming.statusCode ?? 502));
    for await (const part of incoming) parts.push(part);
    const text = Buffer.concat(parts).toString("utf8");
    const method = body.length === 0 ? "" : String(JSON.parse(body.toString("utf8")).method);
    const spoiled = spoil ? await spoil({ method, answer: text }, response) : text;
    if (spoiled === undefined || response.destroyed) return;
    const { "content-length": _length, "transfer-encoding": _encoding, ...kept } = incoming.headers;
    response.writeHead(incoming.statusCode ?? 502, kept).end(spoiled);
  });
  onward.on("error", () => response.destroy());
  onward.end(body);
}
