/** Throw-away folders and ports of one test file. */

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh folder under the system's temp folder, and a way to be rid of it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "svc-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Below the ports that systems give to outgoing connections: nobody gets one of these by chance before the test uses it. */
const PORTS = { first: 20_000, ofWorker: 500, workersMax: 24 };

/** Where the next port is looked for: onward from a chance begin, so that no port is handed out twice in a row. */
let nextOffset = Math.floor(Math.random() * PORTS.ofWorker);

/** Returns a loopback port that is free, out of those that this worker of the test run has for itself. */
export async function freePort(): Promise<number> {
  const worker = Number(process.env.VITEST_POOL_ID ?? 0) % PORTS.workersMax;
  for (;;) {
    const port = PORTS.first + worker * PORTS.ofWorker + nextOffset;
    nextOffset = (nextOffset + 1) % PORTS.ofWorker;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = net.createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
