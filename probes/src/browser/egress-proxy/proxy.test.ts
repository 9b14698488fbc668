import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEgress } from "@svc/egress";
import { expect, it, vi } from "vitest";
import { EgressProxy } from "./proxy.ts";
import { RunTraffic } from "./run-traffic.ts";

it("connections that say nothing are bounded: one more than the limit is refused, and others stay", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-proxy-"));
  const path = join(folder, "0");
  const proxy = await EgressProxy.listen(path);
  proxy.open(new RunTraffic(createEgress({ allowPrivate: true })));
  const sockets: net.Socket[] = [];
  try {
    let closed = 0;
    for (let index = 0; index < 1_500; index++) {
      const socket = net.connect(path);
      socket.on("error", () => {});
      socket.once("close", () => closed++);
      sockets.push(socket);
    }
    await vi.waitFor(() => expect(closed).toBe(1_500 - 512), { timeout: 60_000 });
  } finally {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
