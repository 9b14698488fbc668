/** Creates an http monitor with a starter assertion: `svc monitors create`. */
import {
  type ApiClient,
  type Check,
  checkTypes,
  counted,
  HTTP_METHODS,
  httpCheck,
  listed,
} from "@svc/contract";
import { maskedCheck } from "../../resources/monitors/describe.ts";
import { CliError, generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import { failureOf } from "../../runtime/failure.ts";
import { commaList, frequency } from "../../runtime/option-values.ts";

interface Options {
  name?: string;
  type?: string;
  url?: string;
  method: (typeof HTTP_METHODS)[number];
  frequency: number;
  locations?: string[];
}

/** The type of the monitors that this command creates: the one whose options fit on a command line. */
const CREATED = httpCheck.type;
const OTHERS = checkTypes.types.filter((type) => type !== CREATED);

/** Defines `svc monitors create`. Monitors of other types come by `svc deploy`. */
export const command = defineCommand<Options>({
  summary: "create an http monitor",
  answers: async () => (await import("../../answers/monitors.ts")).monitorsCreate,
  options: [
    { flags: "--name <name>", description: "name (required)" },
    {
      flags: "--type <type>",
      description: `${CREATED} (required); ${listed(OTHERS)} monitors come by svc deploy`,
    },
    { flags: "--url <url>", description: "what to request (required)" },
    { flags: "--method <method>", description: "request method", choices: HTTP_METHODS, default: "GET" },
    {
      flags: "--frequency <duration>",
      description: "how often: 30s, 5m, 1h",
      default: 300,
      parse: frequency,
    },
    {
      flags: "--locations <ids>",
      description: "comma-separated location ids (default: all active hosted ones)",
      parse: commaList,
    },
  ],
  examples: [
    'monitors create --name "Home page" --type http --url https://www.example.org',
    "monitors create --name API --type http --url https://api.example.org/health --frequency 30s --locations loc_us_east",
  ],
  async run(context, options) {
    const { name, url } = required(options);
    const api = context.api();
    const check = await createWithin(options.locations === undefined, async () =>
      api.createCheck({
        name,
        type: CREATED,
        frequencySeconds: options.frequency,
        locations: options.locations ?? (await activeHostedLocations(api)),
        httpConfig: {
          url,
          method: options.method,
          assertions: [{ type: "status_code", operator: "equals", value: 200 }],
        },
      }),
    );
    return { data: { monitor: maskedCheck(check) }, print: (out) => out.line(out.text(sentenceOf(check))) };
  },
});

/** Creates; a plan that allows fewer locations than all, which nobody asked for, is refused with the way out. */
async function createWithin(asksForAll: boolean, create: () => Promise<Check>): Promise<Check> {
  try {
    return await create();
  } catch (error) {
    const failure = failureOf(error, undefined);
    if (!asksForAll || failure.reason !== "plan_limit") throw error;
    throw new CliError(failure.reason, failure.message, {
      hint: "Without --locations all active hosted ones are asked for; name fewer, e.g. --locations loc_us_east",
      details: failure.details,
    });
  }
}

function required({ name, type, url }: Options): { name: string; url: string } {
  const missing = Object.entries({ "--name": name, "--type": type, "--url": url })
    .filter(([, value]) => value === undefined)
    .map(([flag]) => flag);
  if (type !== undefined && type !== CREATED) {
    const isKnown = checkTypes.find(type) !== undefined;
    throw generalError(
      isKnown ? `${type} monitors can't be created here` : `--type is "${type}"; expected ${CREATED}`,
      isKnown ? "Describe it in svc.config.yaml and run: svc deploy" : undefined,
    );
  }
  if (name === undefined || url === undefined || missing.length > 0)
    throw generalError(`missing: ${missing.join(", ")}`, "Run: svc monitors create --help");
  return { name, url };
}

async function activeHostedLocations(api: ApiClient): Promise<string[]> {
  const locations = await api.listLocations();
  const ids = locations
    .filter(({ type, status }) => type === "hosted" && status === "active")
    .map(({ id }) => id);
  if (ids.length === 0)
    throw new CliError("general_error", "no hosted location is active", { hint: "Give --locations" });
  return ids;
}

function sentenceOf({ name, id, locations }: Check): string {
  return `Created ${name} (${id}) in ${counted(locations.length, "location")}.`;
}
