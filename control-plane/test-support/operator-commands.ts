/** Runs the operator's commands of a test file, each test on a database of its own. */
import { afterEach, beforeEach, vi } from "vitest";
import { runProgram } from "../src/app/commands/program.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** The secret key of the commands' environment. */
export const OPERATOR_SECRET_KEY = "a-secret-key-that-only-tests-use-0123456789";

/** The operator's commands in a test. */
export interface OperatorCommands {
  /** The test's database. */
  readonly database: TestDatabase;
  /** Text that commands wrote to stderr since the test began, or since it was set. */
  errors: string;
  /** Runs a command and returns its exit code and answer. */
  run(...words: string[]): Promise<{ code: number; output: string }>;
}

/** Gives each test of the file a database and the environment that names it. Call it at the top of the file. */
export function useOperatorCommands(): OperatorCommands {
  let database: TestDatabase;
  const commands: OperatorCommands = {
    get database() {
      return database;
    },
    errors: "",
    async run(...words) {
      const lines: string[] = [];
      const code = await runProgram(["node", "svc-control-plane", ...words], (text) => lines.push(text));
      return { code, output: lines.join("\n") };
    },
  };
  beforeEach(async () => {
    database = await createTestDatabase();
    vi.stubEnv("DATABASE_URL", database.url);
    vi.stubEnv("SVC_SECRET_KEY", OPERATOR_SECRET_KEY);
    commands.errors = "";
    const keep = (chunk: unknown) => {
      commands.errors += String(chunk);
      return true;
    };
    vi.spyOn(process.stderr, "write").mockImplementation(keep as typeof process.stderr.write);
    vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    await database.drop();
  });
  return commands;
}
