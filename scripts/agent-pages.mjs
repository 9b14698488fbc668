/**
 * The pages of the documentation for programs: `docs/llms-index.txt`, which a control plane serves at `/llms.txt` (https://llmstxt.org), and
 * `docs/llms.txt`, one text with all that is needed to act. Both consist of the pages and of the contract, so that they say the same.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { API_ROUTES, assertionSchema, conditionSchema, createChannelSchema } from "@svc/contract";
import { bodyFields } from "./body-fields.mjs";

const DOCS = join(import.meta.dirname, "..", "docs");

/** Sections of docs/README.md whose pages are served. */
const SERVED_SECTIONS = ["Use svc", "Operate svc"];

/** Routes by which things are made, in the order of the page: their bodies are described. */
const MAKING_ROUTES = [
  "POST /api/checks",
  "PUT /api/checks/:id/labels",
  "POST /api/notification-channels",
  "POST /api/checks/:id/alerts",
  "POST /api/alert-policies",
  "POST /api/slos",
  "POST /api/third-party-patterns",
  "POST /api/maintenance-windows",
  "POST /api/secrets",
  "POST /api/specs",
  "POST /api/checks/generate",
  "POST /api/locations",
  "POST /api/locations/:id/keys",
  "POST /api/events/deployments",
];

/** Most bytes of the page with everything: what a model reads at once without harm. */
const FULL_PAGE_BYTES_MAX = 200 * 1024;

/** Returns the index: a line per page with the sentence of docs/README.md. */
export function agentIndex() {
  const sections = SERVED_SECTIONS.map((title) => {
    const rows = section(page("README.md"), `## ${title}`).matchAll(
      /^\| \[([^\]]+)\]\(([\w-]+\.md)\) \| (.+) \|$/gm,
    );
    return [
      `## ${title}`,
      "",
      ...[...rows].map(([, name, file, says]) => `- [${name}](/docs/${file}): ${says}`),
    ].join("\n");
  });
  return `${[
    "# svc",
    `> ${summary()}`,
    "This is a control plane of svc. Everything below is text and needs no key. Read the first page to make, change or read anything; it has the \
sign-in, an example of each kind of thing by REST, command line and config, all fields, limits, routes, commands, exit codes and errors.",
    [
      "## Start here",
      "",
      "- [Everything to act on](/docs/llms.txt): how to sign in, make and read each kind of thing, with examples that are tested",
      "- [OpenAPI document](/api/openapi.json): every route of the REST API with its schemas (OpenAPI 3.1)",
      "- [JSON Schema of svc.config.yaml](/svc.config.schema.json): the format of monitors as code",
    ].join("\n"),
    ...sections,
  ].join("\n\n")}\n`;
}

/**
 * Returns the page with everything.
 * @param tables the generated tables of the documentation, by name
 * @throws Error when it would be larger than FULL_PAGE_BYTES_MAX
 */
export function agentPage(tables) {
  const [programs, cli, rest] = ["programs.md", "cli.md", "rest-api.md"].map((file) =>
    linksToService(page(file), file),
  );
  const parts = [
    "# svc: everything to act on",
    `> ${summary()}`,
    "Pages with more on each subject are listed in `/llms.txt`. Addresses that begin with `/` are those of this control plane.",
    programs.slice(programs.indexOf("\n## ")).trim(),
    "## The config format",
    section(cli, "### svc.config.yaml"),
    section(cli, "### Plan and deploy", "Plan and deploy"),
    "## Fields by route",
    "What the bodies of requests take. A field that is not listed is refused. `POST /api/test-runs` takes the `type` and configuration of a check, and `locations`.",
    ...MAKING_ROUTES.map(
      (name) => `### ${name}\n\n${routeOf(name).summary}.\n\n${bodyFields(routeOf(name).body)}`,
    ),
    `### Assertions\n\n${linksToService(tables.assertions(), "http-checks.md")}\n${bodyFields(assertionSchema)}`,
    `### Conditions\n\n${linksToService(tables.conditions(), "alerting.md")}\n${bodyFields(conditionSchema)}`,
    `### Channels\n\n${linksToService(tables.channels(), "notifications.md")}\n${bodyFields(createChannelSchema.shape.channel)}`,
    "## Routes",
    "`access` is explained below. `GET /api/openapi.json` has the schemas of all bodies and answers.",
    API_ROUTES.map(
      ({ method, path, access, summary }) => `- \`${method} ${path}\` (${access}): ${summary}`,
    ).join("\n"),
    "## REST conventions",
    demoted(rest.replace(/^# .*\n/, "").trim()),
    "## The command line",
    section(cli, "## Output for programs", "Output for programs"),
    section(cli, "## Names, ids and confirmations", "Names, ids and confirmations"),
    `### Commands\n\n${section(cli, "## All commands")}`,
  ];
  const text = `${parts.join("\n\n")}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes > FULL_PAGE_BYTES_MAX)
    throw new Error(
      `docs/llms.txt would have ${bytes} bytes; at most ${FULL_PAGE_BYTES_MAX}. Leave something to the pages`,
    );
  return text;
}

/** Returns the first paragraph of the README on one line. */
function summary() {
  const [, paragraph = ""] = readFileSync(join(DOCS, "../README.md"), "utf8").split("\n\n");
  return paragraph.replaceAll("\n", " ");
}

/** Returns a page without the markers of its generated tables. */
function page(file) {
  return readFileSync(join(DOCS, file), "utf8").replaceAll(/^<!-- .* -->\n/gm, "");
}

/** Returns the text below a heading, up to the next one of its level or above; under a heading of the third level when a title is given. */
function section(markdown, heading, title) {
  const level = heading.indexOf(" ");
  const lines = linesOf(markdown);
  const begin = lines.findIndex(({ text }) => text === heading);
  if (begin < 0) throw new Error(`there is no section "${heading}"`);
  const rest = lines.slice(begin + 1);
  const end = rest.findIndex((line) => line.level > 0 && line.level <= level);
  const text = textOf(rest.slice(0, end < 0 ? rest.length : end)).trim();
  return title === undefined ? text : `### ${title}\n\n${text}`;
}

/** Returns the text with each heading a level lower. */
function demoted(markdown) {
  return textOf(linesOf(markdown).map(({ text, level }) => ({ text: level > 0 ? `#${text}` : text })));
}

/** Returns the lines with their levels as headings; 0: it is none, as a comment in a block of code. */
function linesOf(markdown) {
  let isCode = false;
  return markdown.split("\n").map((text) => {
    if (text.startsWith("```")) isCode = !isCode;
    return { text, level: isCode ? 0 : (/^#+(?= )/.exec(text)?.[0].length ?? 0) };
  });
}

function textOf(lines) {
  return lines.map(({ text }) => text).join("\n");
}

/** Makes the links of a page, or of a part of it, addresses of the service. */
function linksToService(markdown, file) {
  return markdown.replaceAll(
    /\]\(([\w-]+\.md)?(#[\w-]+)?\)/g,
    (_, to = file, anchor = "") => `](/docs/${to}${anchor})`,
  );
}

function routeOf(name) {
  const route = API_ROUTES.find(({ method, path }) => `${method} ${path}` === name);
  if (!route?.body) throw new Error(`there is no route "${name}" with a body`);
  return route;
}
