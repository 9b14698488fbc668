/** A control plane and a working folder for the command line. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkAnswer } from "../../control-plane/test-support/api-document.ts";
import { createTestDatabase } from "../../control-plane/test-support/database.ts";
import { type CliRun, svc } from "../harness/cli.ts";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";

export interface CliStage {
  controlPlane: ControlPlane;
  /** The working folder. */
  folder: string;
  run(args: readonly string[], options?: Partial<Parameters<typeof svc>[1]>): Promise<CliRun>;
  /** Runs the command with --json. Returns the envelope and the exit code. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  json(args: readonly string[], env?: Record<string, string>): Promise<any>;
  write(path: string, text: string): void;
  read(path: string): string;
  /** An empty working folder, as another machine has it. */
  otherFolder(): string;
  strike(): Promise<void>;
}

export async function setCliStage(environment: Record<string, string> = {}): Promise<CliStage> {
  const data = temporaryFolder();
  const folders = [temporaryFolder()];
  const database = await createTestDatabase();
  const controlPlane = await startControlPlane({
    dataDir: data.path,
    databaseUrl: database.url,
    environment,
    onAnswer: checkAnswer,
  });
  const env = { SVC_API_URL: controlPlane.url, SVC_API_KEY: controlPlane.apiKey };
  const folder = folders[0]?.path ?? "";
  const run: CliStage["run"] = (args, options = {}) =>
    svc(args, {
      cwd: folder,
      // What another server answers than the service is not described by the service's document.
      ...(options.env?.SVC_API_URL === undefined && { onAnswer: checkAnswer }),
      ...options,
      env: { ...env, ...options.env },
    });
  return {
    controlPlane,
    folder,
    run,
    async json(args, own = {}) {
      const { code, stdout } = await run([...args, "--json"], { env: own });
      return { code, ...JSON.parse(stdout) };
    },
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    read: (path) => readFileSync(join(folder, path), "utf8"),
    otherFolder() {
      const other = temporaryFolder();
      folders.push(other);
      return other.path;
    },
    async strike() {
      await controlPlane.process.stop();
      await database.drop();
      for (const one of [data, ...folders]) one.remove();
    },
  };
}
