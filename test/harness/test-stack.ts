/** The processes of a test that crosses packages, and their end in reverse order, whatever happened. */
import { checkAnswer } from "../../control-plane/test-support/api-document.ts";
import { createTestDatabase } from "../../control-plane/test-support/database.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import { temporaryFolder } from "./folders.ts";
import type { RunningProcess } from "./process.ts";
import { type RunnerOptions, startRunner } from "./runner.ts";
import { startTarget, type Target } from "./target.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

/** Starts parts of the service, each stopped with the stack. */
export interface TestStack {
  target: Target;
  /**
   * Starts a control plane whose answers are held against the OpenAPI document. Its database is one of the test run's
   * server, with the schema, unless `databaseUrl` names another or `dataDir` a folder for an embedded one.
   */
  controlPlane(options?: Partial<ControlPlaneOptions>): Promise<ControlPlane>;
  /** Starts an agent, in a new data folder unless `dataDir` names one. */
  runner(options: Omit<RunnerOptions, "dataDir"> & { dataDir?: string }): RunningProcess;
  /** Starts a TCP proxy that a test can cut. */
  proxy(target: number | string): Promise<TcpProxy>;
  /** Makes a folder that is removed with the stack. */
  folder(): string;
  /** Makes a database on the test run's server, with the schema unless `template` is false, and a proxy in front of it. */
  database(options?: { template?: boolean }): Promise<{ url: string; proxiedUrl: string; proxy: TcpProxy }>;
  /** Has something else ended with the stack, before whatever was started earlier. */
  atEnd(end: () => unknown): void;
  /** Stops everything that was started, in reverse order. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Returns a stack in which only the target runs. */
export async function startTestStack(): Promise<TestStack> {
  const target = await startTarget();
  const endings: (() => unknown)[] = [() => target.close()];
  const folder = () => {
    const { path, remove } = temporaryFolder();
    endings.push(remove);
    return path;
  };
  const newDatabase = async (options?: { template?: boolean }) => {
    const database = await createTestDatabase(options);
    endings.push(() => database.drop());
    return database;
  };
  return {
    target,
    folder,
    atEnd: (end) => void endings.push(end),
    async controlPlane(options = {}) {
      const controlPlane = await startControlPlane({
        dataDir: options.dataDir ?? folder(),
        ...(options.dataDir === undefined && options.databaseUrl === undefined
          ? { databaseUrl: (await newDatabase()).url }
          : {}),
        onAnswer: checkAnswer,
        ...options,
      });
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
      const database = await newDatabase(options);
      const { searchParams, pathname } = new URL(database.url.replace("postgres:///", "postgres://socket/"));
      const proxy = await startTcpProxy(`${searchParams.get("host")}/.s.PGSQL.5432`);
      endings.push(() => proxy.close());
      const proxiedUrl = `postgres://${searchParams.get("user")}@127.0.0.1:${proxy.port}${pathname}`;
      return { url: database.url, proxiedUrl, proxy };
    },
    async [Symbol.asyncDispose]() {
      for (const end of endings.reverse()) await end();
    },
  };
}
