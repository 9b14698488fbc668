/** The command line `svc-control-plane`: its words, and the command behind each. */
import { DomainError, KEY_ROLES, TEAM_ROLES, type TeamId, type TeamRole } from "@svc/contract";
import { Command, CommanderError, Option } from "commander";
import { ConfigError } from "../../platform/config.ts";
import { BackupError } from "../../platform/db/backup/backup-files.ts";
import { DataFolderInUseError } from "../../platform/db/data-folder.ts";
import { DistributeError } from "../../platform/db/distribute.ts";
import { MigrationLockError } from "../../platform/db/migrate.ts";
import { EmbeddedPostgresError } from "../../platform/db/postgres-binaries.ts";
import { VERSION } from "../../platform/version.ts";
import { RunnerMissingError } from "../embedded-runner.ts";
import { type CreateKeyOptions, createKeyCommand } from "./api-keys.ts";
import { type AuditOptions, auditCommand } from "./audit.ts";
import { backupCommand, exportKeyCommand, type RestoreOptions, restoreCommand } from "./backup.ts";
import { distributeCommand } from "./distribute.ts";
import { type DoctorCommandOptions, doctorCommand, ProblemsFoundError } from "./doctor.ts";
import { listLocationsCommand, setLocationStatusCommand } from "./locations.ts";
import { type MigrateCommandOptions, migrateCommand } from "./migrate.ts";
import {
  inviteCommand,
  listPeopleCommand,
  type PersonOptions,
  removePersonCommand,
  resetPasswordCommand,
  setRoleCommand,
} from "./people.ts";
import { createHostedKeyCommand, listRunnerKeysCommand, revokeRunnerKeyCommand } from "./runner-keys.ts";
import { resealSecretsCommand } from "./secrets.ts";
import { type ServeOptions, serve } from "./serve.ts";
import {
  type CreateTeamOptions,
  createTeamCommand,
  deleteTeamCommand,
  listTeamsCommand,
  setPlanCommand,
  signInLinkCommand,
} from "./teams.ts";

/** Exit codes: 0 done, 1 failed, 2 wrong usage or settings. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

const EXAMPLES = `
Settings come from the environment (SVC_DATA_DIR, DATABASE_URL, SVC_SECRET_KEY, ...); the commands work on the same
database as the service, also while it runs.

Examples:
  svc-control-plane                                             run the service
  svc-control-plane serve --local                               everything for one person: the service and an agent
  svc-control-plane teams create --name Shop --owner-email olive@example.com --api-key
  svc-control-plane teams set-plan team_01k... pro
  svc-control-plane people invite --team team_01k... --email pat@example.com --role viewer
  svc-control-plane sign-in-link --email olive@example.com
  svc-control-plane runner-keys create --hosted --name eu-rack-1
  svc-control-plane locations retire loc_eu_west_2 --replaced-by loc_eu_west
  svc-control-plane doctor --reach https://hooks.example.com --mail-to ops@example.com

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
    .description("bring the database's schema up to date, and end; also while the service runs")
    .option("--plan", "list the migrations that would run, and run none")
    .action((options: MigrateCommandOptions) => answer(migrateCommand(options)));
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
  teams
    .command("delete")
    .description("delete a team with all of its records, results and files")
    .argument("<team-id>")
    .requiredOption("--name <name>", "the team's name, as `teams list` shows it")
    .action((teamId: TeamId, options: { name: string }) => answer(deleteTeamCommand(teamId, options)));

  const replacedBy = [
    "--replaced-by <location-id>",
    "hosted location that teams are to use instead",
  ] as const;
  const teamRequired = ["--team <team-id>", "which; `teams list` shows the ids"] as const;
  const apiKeys = program.command("api-keys").description("keys of teams for REST and svc");
  apiKeys
    .command("create")
    .description("make a key for a team and print it")
    .requiredOption(...teamRequired)
    .option("--name <name>", "for people", "Made by the operator")
    .addOption(new Option("--role <role>", "a viewer only reads").choices(KEY_ROLES).default("member"))
    .option("--expires-at <instant>", "from when on the key is refused, such as 2030-01-31T00:00:00Z")
    .action((options: CreateKeyOptions) => answer(createKeyCommand(options)));

  const people = program.command("people").description("the people of a team");
  people
    .command("list")
    .description("list a team's people")
    .requiredOption(...teamRequired)
    .action((options: { team: TeamId }) => answer(listPeopleCommand(options)));
  people
    .command("invite")
    .description("print a one-time link by which a person joins a team")
    .requiredOption(...teamRequired)
    .requiredOption("--email <email>", "whom")
    .addOption(new Option("--role <role>", "what they may do").choices(TEAM_ROLES).default("member"))
    .action((options: PersonOptions & { role: TeamRole }) => answer(inviteCommand(options)));
  people
    .command("remove")
    .description("remove a person from a team and end their sessions in it")
    .requiredOption(...teamRequired)
    .requiredOption("--email <email>", "whom")
    .action((options: PersonOptions) => answer(removePersonCommand(options)));
  people
    .command("set-role")
    .description("give a person another role in a team")
    .requiredOption(...teamRequired)
    .requiredOption("--email <email>", "whom")
    .addOption(new Option("--role <role>", "which").choices(TEAM_ROLES).makeOptionMandatory())
    .action((options: PersonOptions & { role: TeamRole }) => answer(setRoleCommand(options)));
  people
    .command("reset-password")
    .description("end an account's password and sessions; prints a one-time link to choose another one")
    .requiredOption("--email <email>", "whose")
    .option("--stdin", "set the password from the first line of the input instead")
    .action((options: { email: string; stdin?: boolean }) => answer(resetPasswordCommand(options)));

  const locations = program.command("locations").description("the hosted locations");
  locations
    .command("list")
    .description("list the hosted locations")
    .action(() => answer(listLocationsCommand()));
  locations
    .command("deprecate")
    .description("refuse a location to new checks; those that have it are still run there")
    .argument("<location-id>")
    .option(...replacedBy)
    .action((id: string, options: { replacedBy?: string }) =>
      answer(setLocationStatusCommand({ ...options, id, status: "deprecated" })),
    );
  locations
    .command("retire")
    .description("run no check at a location any more")
    .argument("<location-id>")
    .option(...replacedBy)
    .action((id: string, options: { replacedBy?: string }) =>
      answer(setLocationStatusCommand({ ...options, id, status: "retired" })),
    );
  locations
    .command("activate")
    .description("put a deprecated or retired location in service again")
    .argument("<location-id>")
    .action((id: string) => answer(setLocationStatusCommand({ id, status: "active" })));

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
  secrets
    .command("export-key")
    .description("write the key that opens them to a recovery file, which a restored backup needs")
    .argument("<file>", "made, and closed to others")
    .action((file: string) => answer(exportKeyCommand(file)));

  program
    .command("backup")
    .description(
      "copy the embedded database, its pictures and videos to a folder; also while the service runs",
    )
    .argument("<folder>", "made, and closed to others")
    .action((folder: string) => answer(backupCommand(folder)));
  program
    .command("restore")
    .description(
      "make the data folder (SVC_DATA_DIR) from a backup; the service does not run there meanwhile",
    )
    .argument("<folder>", "of the backup")
    .option("--key-file <file>", "recovery file that `secrets export-key` wrote")
    .option("--new-key", "go on without the key; credentials have to be entered again")
    .action((folder: string, options: RestoreOptions) => answer(restoreCommand(folder, options)));

  program
    .command("distribute")
    .description("on Citus, spread the tables that grow with runs over the workers; stop the service first")
    .action(() => answer(distributeCommand()));

  program
    .command("doctor")
    .description(
      "examine the installation: what works, what does not, what to do; changes nothing, also while the service runs",
    )
    .option("--local", "examine a service that runs with `serve --local`")
    .option("--reach <url...>", "also request these, under the policy of checks, webhooks and exports")
    .option("--mail-to <email>", "also send a test mail there")
    .option("--json", "print the findings as JSON")
    .action((options: DoctorCommandOptions) => doctorCommand(options, print));

  program
    .command("audit")
    .description("list the newest entries of the audit log")
    .option("--team <team-id>", "of this team; without it those that concern no one team")
    .option("--limit <n>", "how many", "50")
    .action((options: AuditOptions) => answer(auditCommand(options)));

  const groups = [program, teams, apiKeys, people, locations, keys, secrets];
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
    if (error instanceof ProblemsFoundError) return EXIT.failed;
    process.stderr.write(`svc-control-plane: ${lineOf(error)}\n`);
    return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
  }
}

/** Returns one line for errors that an operator can act on; the stack for any other error. */
function lineOf(error: unknown): string {
  const isForPeople = [
    BackupError,
    ConfigError,
    DomainError,
    DataFolderInUseError,
    DistributeError,
    EmbeddedPostgresError,
    MigrationLockError,
    RunnerMissingError,
  ].some((kind) => error instanceof kind);
  if (isForPeople) return (error as Error).message;
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === "EADDRINUSE")
    return `${address}:${port} is in use by another program; set SVC_HTTP_PORT or SVC_RUNNER_PORT`;
  if (code === "EACCES" && port !== undefined)
    return `${address}:${port} may not be used by this account; set SVC_HTTP_PORT or SVC_RUNNER_PORT`;
  if (code !== undefined) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
