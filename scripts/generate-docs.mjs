/**
 * `npm run docs`: writes the tables of the documentation that follow from the contract, between the markers
 * `<!-- generated:NAME -->` and `<!-- /generated -->`, and the pages for programs, which follow from the others. With `--check` nothing is written, and a page that would change is
 * an error. Runs under tsx, because the contract is TypeScript.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ACCESS_RULES,
  assertionTypes,
  auditActions,
  channelTypes,
  conditionTypes,
  ERROR_CODES,
  feedEventTypes,
  ID_PREFIXES,
  incidentEventTypes,
  insightTypes,
  readinessProbeTypes,
  telemetryEventTypes,
} from "@svc/contract";
import { COMMANDS } from "../cli/src/program/registry.ts";
import { EXIT_CODES, EXIT_MEANINGS } from "../cli/src/runtime/exit-codes.ts";
import { mcpTools } from "../control-plane/src/mcp-server/tools/registry.ts";
import { TEAM_CAPS } from "../control-plane/src/platform/team-caps.ts";
import { allAnswers, missRows, shareRows } from "../test/corpus/shares.ts";
import { routeTable, runnerServiceTable } from "./access-tables.mjs";
import { agentIndex, agentPage } from "./agent-pages.mjs";

const listedCommands = await Promise.all(
  COMMANDS.filter(({ summary }) => summary !== "").map(async ({ path, load }) => {
    const { command } = await load();
    return { path, ...command, data: command.hasJson === false ? "none" : dataText(await command.answers()) };
  }),
);

const TABLES = {
  access: () =>
    table(
      ["Access", "Credential", "Smallest role", "For"],
      Object.entries(ACCESS_RULES).map(([name, { credentials, role, routes }]) => [
        code(name),
        credentials,
        role ?? "-",
        routes,
      ]),
    ),
  "access-routes": () => table(...routeTable()),
  "access-runner-services": () => table(...runnerServiceTable()),
  assertions: () =>
    table(
      ["Type", "Holds when"],
      rows(assertionTypes, ({ type, holdsWhen }) => [code(type), holdsWhen]),
    ),
  "audit-actions": () =>
    table(
      ["Action", "Recorded when"],
      rows(auditActions, ({ type, when }) => [code(type), when]),
    ),
  channels: () =>
    table(
      ["`type`", "Reaches", "Fields", "What it sends"],
      rows(channelTypes, ({ type, audience, fields, sends }) => [code(type), audience, fields, sends]),
    ),
  commands: () =>
    table(
      ["Command", "Flags", "Does", "`data`"],
      listedCommands.map(({ path, arguments: args = [], options = [], summary, data }) => [
        code([path, ...args.map(({ name }) => name)].join(" ")),
        options.map(({ flags }) => code(flags)).join(", "),
        summary,
        data,
      ]),
    ),
  conditions: () =>
    table(
      ["Type", "Fields (default)", "Holds when", "Severity"],
      rows(conditionTypes, ({ type, fields, holdsWhen, severity }) => [
        code(type),
        fields,
        holdsWhen,
        severity,
      ]),
    ),
  "error-codes": () =>
    table(
      ["Code", "Meaning"],
      Object.entries(ERROR_CODES).map(([name, meaning]) => [code(name), meaning]),
    ),
  "exit-codes": () =>
    table(
      ["Exit code", "`error.code`", "Meaning"],
      Object.entries(EXIT_CODES).map(([name, exitCode]) => [
        exitCode,
        name === "success" ? "-" : code(name),
        EXIT_MEANINGS[name],
      ]),
    ),
  "feed-events": () =>
    table(
      ["Type", "When"],
      rows(feedEventTypes, ({ type, when }) => [code(type), when]),
    ),
  "id-prefixes": () =>
    table(
      ["Prefix", "Names a"],
      Object.entries(ID_PREFIXES).map(([kind, prefix]) => [code(`${prefix}_`), wordsOf(kind)]),
    ),
  "incident-events": () =>
    table(
      ["Event", "When"],
      rows(incidentEventTypes, ({ type, when }) => [code(type), when]),
    ),
  "insight-types": () =>
    table(
      ["Type", "When", "Severity"],
      rows(insightTypes, ({ type, when, severity }) => [code(type), when, severity]),
    ),
  "outage-misses": () =>
    table(
      ["Recording", "Half", "By", "True cause", "Why it is missed"],
      missRows(allAnswers()).map(([id, ...cells]) => [code(id), ...cells]),
    ),
  "outage-shares": () => table(["First answer", "Developed on", "Held out", "All"], shareRows(allAnswers())),
  "mcp-tools": () =>
    table(
      ["Tool", "Answers", "Changes", "Routes"],
      rows(mcpTools, ({ type, description, isReading, routes }) => [
        code(type),
        description,
        isReading ? "-" : "yes",
        routes.map(({ method, path }) => code(`${method} ${path}`)).join(", "),
      ]),
    ),
  "readiness-probes": () =>
    table(
      ["Probe", "Passes when"],
      rows(readinessProbeTypes, ({ type, passesWhen }) => [code(type), passesWhen]),
    ),
  "team-caps": () =>
    table(
      ["Variable", "Default", "The most that a team stores"],
      Object.values(TEAM_CAPS).map(({ variable, defaultMax, of }) => [code(variable), code(defaultMax), of]),
    ),
  "telemetry-events": () =>
    table(
      ["Event name", "When", "Severity"],
      rows(telemetryEventTypes, ({ type, when, severity }) => [code(type), when, severity]),
    ),
};

const DOCS = join(import.meta.dirname, "..", "docs");
const BLOCK = /(<!-- generated:([a-z-]+) -->\n).*?(<!-- \/generated -->)/gs;

const isCheck = process.argv.includes("--check");
const written = new Set();
const stale = readdirSync(DOCS, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .filter((file) => {
    const page = readFileSync(join(DOCS, file), "utf8");
    const current = page.replace(BLOCK, (...match) => {
      const [, begin, name, end] = match;
      return begin + tableOf(name) + end;
    });
    if (current !== page && !isCheck) writeFileSync(join(DOCS, file), current);
    return current !== page;
  });
const texts = Object.entries({
  "llms-index.txt": agentIndex(),
  "llms.txt": agentPage(TABLES),
}).filter(([file, text]) => {
  const path = join(DOCS, file);
  const isStale = !existsSync(path) || readFileSync(path, "utf8") !== text;
  if (isStale && !isCheck) writeFileSync(path, text);
  return isStale;
});
stale.push(...texts.map(([file]) => file));
const unused = Object.keys(TABLES).filter((name) => !written.has(name));

for (const file of stale)
  console.log(isCheck ? `docs/${file} is stale (run: npm run docs)` : `wrote docs/${file}`);
for (const name of unused) console.log(`no page has the table "${name}"`);
process.exit(unused.length > 0 || (isCheck && stale.length > 0) ? 1 : 0);

function tableOf(name) {
  if (!Object.hasOwn(TABLES, name)) throw new Error(`there is no table "${name}" to generate`);
  written.add(name);
  return TABLES[name]();
}

/** Returns what `data` of a command's envelope holds, and what its stream consists of. */
function dataText({ data, lines }) {
  const stream = lines && `${lines.withFlag ? `with ${code(lines.withFlag)} ` : ""}a line per ${lines.of}`;
  return [data && fieldsText(data), stream].filter(Boolean).join("; ");
}

/** Returns the fields of an object; of a union those of each member. */
function fieldsText({ shape, options, description }) {
  if (options) return options.map(fieldsText).join(", or ");
  if (!shape) return description;
  return Object.entries(shape)
    .map(([name, field]) => (field.safeParse(undefined).success ? `${code(name)} (optional)` : code(name)))
    .join(", ");
}

function rows(family, cellsOf) {
  return family.members.map(cellsOf);
}

function table(titles, cells) {
  const lines = [titles, titles.map(() => "---"), ...cells];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
}

function code(text) {
  return `\`${text}\``;
}

/** Returns a name in camel case as words: `alertRule` becomes `alert rule`, `apiKey` becomes `API key`. */
function wordsOf(name) {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replaceAll(/\b(api|slo)\b/g, (word) => word.toUpperCase());
}
