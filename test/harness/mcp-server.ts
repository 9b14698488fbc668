/** The reference server of the Model Context Protocol, over streamable HTTP, as a process. */
import { createRequire } from "node:module";
import { freePort } from "./folders.ts";
import { type RunningProcess, startNode } from "./process.ts";
import { until } from "./wait.ts";

const SERVER = "@modelcontextprotocol/server-everything/dist/index.js";

export async function startReferenceMcpServer(): Promise<{ endpoint: string; process: RunningProcess }> {
  const port = await freePort();
  const server = createRequire(import.meta.url).resolve(SERVER);
  const process = startNode([server, "streamableHttp"], { PORT: String(port) });
  await until("the reference server listens", () => process.output().includes(String(port)));
  return { endpoint: `http://127.0.0.1:${port}/mcp`, process };
}
