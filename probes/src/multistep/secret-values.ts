/** Decides which extracted values are secret, and keeps those out of what a result says. */
import {
  credentialsOfUrl,
  isSecretParameter,
  JsonPathError,
  jsonPathSteps,
  namedCredentials,
  REDACTED,
  TextFinder,
  valueReferencesIn,
  withoutJsonExcerpts,
} from "@svc/contract";
import type { Extract, MultistepConfig, Step } from "./step.ts";

/** Shortest value that is looked for in texts; shorter ones stand in any page, and hiding them would hide nothing. */
const LENGTH_MIN = 4;
/** Shortest beginning of a value that is hidden where a text was cut within it. */
const BEGINNING_MIN = 6;

/** Matches a JSON Web Token. */
const JSON_WEB_TOKEN = /^eyJ[\w-]{6,}\.[\w-]+\.[\w-]*$/;

const namesByConfig = new WeakMap<MultistepConfig, ReadonlySet<string>>();

/** Returns the names of the values that are marked as secret, come from where credentials stand, or are put where they do. */
export function secretNamesOf(config: MultistepConfig): ReadonlySet<string> {
  let names = namesByConfig.get(config);
  if (!names) {
    names = new Set(config.steps.flatMap((step) => [...secretSources(step), ...secretUses(step)]));
    namesByConfig.set(config, names);
  }
  return names;
}

/** True when a text is a credential by its form, whatever its name. */
export function looksSecret(text: string): boolean {
  return JSON_WEB_TOKEN.test(text);
}

function secretSources({ extract }: Step): string[] {
  return extract
    .filter((one) => one.secret || isSecretParameter(one.name) || isSecretParameter(sourceOf(one)))
    .map(({ name }) => name);
}

/** Returns the name under which the value stands in the response; an empty one: it has none. */
function sourceOf(one: Extract): string {
  if (one.from === "header") return one.header;
  if (one.from !== "json_path") return "";
  try {
    return String(jsonPathSteps(one.path).findLast((step) => typeof step === "string") ?? "");
  } catch (error) {
    if (error instanceof JsonPathError) return "";
    throw error;
  }
}

function secretUses({ url, headers, auth, body }: Step): string[] {
  const texts = [
    ...credentialsOfUrl(url),
    ...Object.entries(headers ?? {}).flatMap(([name, value]) => (isSecretParameter(name) ? [value] : [])),
    ...Object.values(auth ?? {}),
    ...(body === undefined
      ? []
      : [...namedCredentials(parsed(body)), ...credentialsOfUrl(`http://form/?${body}`)]),
  ];
  return texts.flatMap(valueReferencesIn).flatMap(({ name }) => name ?? []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a function that hides secrets in all texts of a detail, also those of which a text holds only the beginning. */
export function secretHider(secrets: readonly string[]): <Part>(part: Part) => Part {
  const wanted = [...new Set(secrets)].filter(({ length }) => length >= LENGTH_MIN);
  if (wanted.length === 0) return (part) => part;
  const forms = [
    ...new Set(
      wanted.flatMap((value) => [
        value,
        encodeURIComponent(value.toWellFormed()),
        JSON.stringify(value).slice(1, -1),
        // Some servers write a slash in JSON with a backslash.
        JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/"),
      ]),
    ),
  ];
  const finder = new TextFinder(forms);
  const hide = (text: string) => finder.replace(withoutJsonExcerpts(text), REDACTED, BEGINNING_MIN);
  return <Part>(part: Part) => mapTexts(part, hide) as Part;
}

/** Parts of a result's detail that are searched: never the names of its fields. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)]));
}
