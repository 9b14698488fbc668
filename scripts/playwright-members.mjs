/**
 * `npm run playwright-members`: writes what the script editor completes: the members that scripts can use of Playwright's
 * objects, as the installed version declares them. With `--check` nothing is written, and a list that would change is an
 * error.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./ensure.mjs";

const OUTPUT = "dashboard/src/pages/check-editor/script/playwright-members.json";
const SOURCES = {
  "playwright-core/types/types.d.ts": [
    "Page",
    "Frame",
    "Locator",
    "FrameLocator",
    "BrowserContext",
    "APIRequestContext",
    "APIResponse",
    "Request",
    "Response",
    "Keyboard",
    "Mouse",
    "Dialog",
  ],
  "playwright/types/test.d.ts": [
    "TestType",
    "TestInfo",
    "GenericAssertions",
    "LocatorAssertions",
    "PageAssertions",
    "APIResponseAssertions",
  ],
};
/** Members that scripts don't have: see docs/browser-checks.md. */
const LEFT_OUT = /^(_|\$|toHaveScreenshot|toMatchSnapshot|toMatchAriaSnapshot|extend$|pause$|screencast$)/;
const TYPE_LENGTH_MAX = 60;

const require = createRequire(join(root, "probes/package.json"));
const members = {};
for (const [path, names] of Object.entries(SOURCES)) {
  const [name, ...rest] = path.split("/");
  const file = join(require.resolve(`${name}/package.json`), "..", ...rest);
  const source = ts.createSourceFile(path, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  for (const statement of source.statements)
    if (ts.isInterfaceDeclaration(statement) && names.includes(statement.name.text))
      members[statement.name.text] = membersOf(statement, source);
}
const text = `${JSON.stringify(members, null, 2)}\n`;
const file = join(root, OUTPUT);
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error(`${OUTPUT} is not what the installed Playwright declares; run: npm run playwright-members`);
  process.exit(1);
}

/** Returns each member's parameters and type; of several forms the first counts. */
function membersOf(declaration, source) {
  const found = {};
  for (const member of declaration.members) {
    const name = member.name && ts.isIdentifier(member.name) ? member.name.text : undefined;
    if (name === undefined || LEFT_OUT.test(name) || isDeprecated(member)) continue;
    const isMethod = ts.isMethodSignature(member);
    const signature = isMethod ? `(${member.parameters.map((one) => parameterText(one)).join(", ")})` : "";
    found[name] ??= `${signature}: ${typeText(member.type, source)}`;
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parameterText({ name, dotDotDotToken, questionToken }) {
  return `${dotDotDotToken ? "..." : ""}${name.getText()}${questionToken ? "?" : ""}`;
}

function typeText(type, source) {
  const whole = type?.getText(source).replaceAll(/\s+/g, " ") ?? "any";
  if (whole.length <= TYPE_LENGTH_MAX) return whole;
  return whole.startsWith("Promise<") ? "Promise<object>" : "object";
}

function isDeprecated(member) {
  return ts.getJSDocDeprecatedTag(member) !== undefined;
}
