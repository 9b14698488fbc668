/** What a fault test starts, and its end in the reverse order, whatever happened. */
import { createTestDatabase } from "../../control-plane/test-support/database.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { temporaryFolder } from "./folders.ts";
import type { RunningProcess } from "./process.ts";
import { type RunnerOptions, startRunner } from "./runner.ts";
import { startTarget, type Target } from "./target.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

export interface Stage {
  target: Target;
  controlPlane(options?: Partial<ControlPlaneOptions>): Promise<ControlPlane>;
  /** Starts an agent; without a `dataDir` of its own it gets a fresh one. */
  runner(options: Omit<RunnerOptions, "dataDir"> & { dataDir?: string }): RunningProcess;
  proxy(target: number | string): Promise<TcpProxy>;
  folder(): string;
  /** A database on the test run's server, with the schema or without, and a proxy before it. */
  database(options?: { template?: boolean }): Promise<{ url: string; proxiedUrl: string; proxy: TcpProxy }>;
  /** Ends all of it. */
  strike(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const target = await startTarget();
  const endings: (() => unknown)[] = [() => target.close()];
  const folder = () => {
    const { path, remove } = temporaryFolder();
    endings.push(remove);
    return path;
  };
  return {
    target,
    folder,
    async controlPlane(options = {}) {
      const controlPlane = await startControlPlane({ dataDir: folder(), ...options });
      endings.push(() => controlPlane.process.stop());
      return controlPlane;
    },
    runner(options) {
      const runner = startRunner({ dataDir: options.dataDir ?? folder(), ...options });
      endings.push(() => runner.stop());
      return runner;
    },
    async proxy(target) {
      const proxy = await startTcpProxy(target);
      endings.push(() => proxy.close());
      return proxy;
    },
    async database(options) {
      const database = await createTestDatabase(options);
      endings.push(() => database.drop());
      const { searchParams, pathname } = new URL(database.url.replace("postgres:///", "postgres://socket/"));
      const proxy = await startTcpProxy(`${searchParams.get("host")}/.s.PGSQL.5432`);
      endings.push(() => proxy.close());
      const proxiedUrl = `postgres://${searchParams.get("user")}@127.0.0.1:${proxy.port}${pathname}`;
      return { url: database.url, proxiedUrl, proxy };
    },
    async strike() {
      for (const end of endings.reverse()) await end();
    },
  };
}
