/** The command line `svc-control-plane`: its words, and the command behind each. */
import { DomainError, type TeamId } from "@svc/contract";
import { Command, CommanderError } from "commander";
import { ConfigError } from "../../platform/config.ts";
import { DataFolderInUseError } from "../../platform/db/data-folder.ts";
import { EmbeddedPostgresError } from "../../platform/db/postgres-binaries.ts";
import { VERSION } from "../../platform/version.ts";
import { createHostedKeyCommand, listRunnerKeysCommand, revokeRunnerKeyCommand } from "./runner-keys.ts";
import { resealSecretsCommand } from "./secrets.ts";
import { type ServeOptions, serve } from "./serve.ts";
import {
  type CreateTeamOptions,
  createTeamCommand,
  listTeamsCommand,
  setPlanCommand,
  signInLinkCommand,
} from "./teams.ts";
import { withServices } from "./with-services.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong usage or settings. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const EXAMPLES = `
Settings come from the environment (SVC_DATA_DIR, DATABASE_URL, SVC_SECRET_KEY, ...); the commands work on the same
database as the service, also while it runs.

Examples:
  svc-control-plane                                             run the service
  svc-control-plane teams create --name Shop --owner-email olive@example.com --api-key
  svc-control-plane teams set-plan team_01k... pro
  svc-control-plane sign-in-link --email olive@example.com
  svc-control-plane runner-keys create --hosted --name eu-rack-1

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`;

/**
 * Builds the command line.
 * @param print receives the answer of a command
 */
export function createProgram(print: (text: string) => void): Command {
  const program = new Command("svc-control-plane")
    .description("The control plane of a synthetic monitoring service: REST, schedule, fleet, results.")
    .version(VERSION)
    .addHelpText("after", EXAMPLES)
    .exitOverride();
  const answer = (work: Promise<string>) => work.then(print);

  program
    .command("serve", { isDefault: true })
    .description("run the service (the default)")
    .option(
      "--local",
      "for one person on one machine: run an agent too, and let checks reach private addresses unless SVC_EGRESS_PRIVATE=deny",
    )
    .action((options: ServeOptions) => serve(options));
  program
    .command("migrate")
    .description("bring the database's schema up to date, and end")
    .action(() => answer(withServices(async () => "the database is up to date")));
  program
    .command("sign-in-link")
    .description("print a one-time sign-in link for an account")
    .requiredOption("--email <email>", "whose")
    .action(({ email }: { email: string }) => answer(signInLinkCommand(email)));

  const teams = program.command("teams").description("teams and their plans");
  teams
    .command("create")
    .description("make a team; prints a one-time sign-in link for its owner")
    .requiredOption("--name <name>", "the team's name")
    .requiredOption("--owner-email <email>", "the owner's account; made when there is none")
    .option("--api-key", "also make an API key and print it")
    .action((options: CreateTeamOptions) => answer(createTeamCommand(options)));
  teams
    .command("list")
    .description("list the teams")
    .action(() => answer(listTeamsCommand()));
  teams
    .command("set-plan")
    .description("put a team on a plan")
    .argument("<team-id>")
    .argument("<plan>", "free, pro or self_hosted")
    .action((teamId: TeamId, plan: string) => answer(setPlanCommand(teamId, plan)));

  const keys = program.command("runner-keys").description("keys of runner agents");
  keys
    .command("create")
    .description("make a key for agents of the hosted locations; private locations' keys are made over REST")
    .requiredOption("--hosted", "for the hosted locations")
    .option("--name <name>", "for people", "Untitled Key")
    .action(({ name }: { name: string }) => answer(createHostedKeyCommand(name)));
  keys
    .command("list")
    .description("list the keys of all agents")
    .action(() => answer(listRunnerKeysCommand()));
  keys
    .command("revoke")
    .description("revoke a key; its agents are cut off")
    .argument("<key-id>")
    .action((id: string) => answer(revokeRunnerKeyCommand(id)));

  const secrets = program.command("secrets").description("what is encrypted at rest");
  secrets
    .command("reseal")
    .description("encrypt anew, under SVC_SECRET_KEY, what SVC_SECRET_KEY_PREVIOUS encrypted; prints counts")
    .action(() => answer(resealSecretsCommand()));

  const groups = [program, teams, keys, secrets];
  for (const command of groups.flatMap((group) => group.commands)) command.exitOverride();
  return program;
}

/** Runs the command line and returns the exit code. For `serve` it returns once the service runs. */
export async function runProgram(argv: readonly string[], print = console.log): Promise<number> {
  try {
    await createProgram(print).parseAsync(argv);
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`svc-control-plane: ${lineOf(error)}\n`);
    return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
  }
}

/** Returns one line for errors that an operator can act on; the stack for any other error. */
function lineOf(error: unknown): string {
  const isForPeople = [ConfigError, DomainError, DataFolderInUseError, EmbeddedPostgresError].some(
    (kind) => error instanceof kind,
  );
  if (isForPeople) return (error as Error).message;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === "EADDRINUSE")
    return `${address}:${port} is in use by another program; set SVC_HTTP_PORT or SVC_RUNNER_PORT`;
  if (code === "EACCES" && port !== undefined)
    return `${address}:${port} may not be used by this account; set SVC_HTTP_PORT or SVC_RUNNER_PORT`;
  if (code !== undefined) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
