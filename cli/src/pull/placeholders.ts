/** Secrets that a pull leaves out: each becomes {{secrets.NAME}}, with a name that says what it is. */
import { isSecretAuthField, isSecretHeader, isSecretParameter, REDACTED } from "@svc/contract";
import { type Environment, escapePlaceholders, interpolate, secretOf } from "../config/interpolate.ts";

export interface Placeholders {
  /** A credential as a whole. @param about words for its name: monitor, field */
  secret(value: string, ...about: string[]): string;
  /** Text that may hold known secrets, and whose own placeholders stay text. */
  text(value: string, where?: "yaml" | "script"): string;
  /** A key of the user's own (a header's name). A config has no placeholders in keys: a known secret in one is blotted out. */
  key(name: string): string;
  /** A URL: user, password and credential-like parameters become placeholders. */
  url(value: string, ...about: string[]): string;
  headers(value: Readonly<Record<string, string>>, ...about: string[]): Record<string, string>;
  auth(value: Readonly<Record<string, string>>, ...about: string[]): Record<string, string>;
  /** Environment variables that the config needs, in alphabetical order; those that hold the right value are set. */
  variables(): { name: string; isSet: boolean }[];
  /** Values by the environment variable that gives them. */
  values(): Record<string, string>;
  /** Every secret that was met, also those blotted out: what no output may show. */
  met(): string[];
}

/** Shorter values would be found in every other text. */
export const KNOWN_CHARACTERS_MIN = 6;
const PREFIX = "SVC_SECRET_";
/** Of a header's value: how the credential is meant, which is none itself. */
const AUTH_SCHEME = /^((?:Bearer|Basic|Token|ApiKey)[ ]+)(.+)$/is;

/**
 * @param env whose SVC_SECRET_ variables are recognised wherever they stand
 * @param formerNames of placeholders of the config that was there: what they stand for keeps its name
 */
export function createPlaceholders(env: Environment, formerNames: Iterable<string> = []): Placeholders {
  const nameByValue = new Map<string, string>();
  const names = Object.keys(env).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));
  // One that stands for nothing here is free: the field that it was made for gets it again, and a second pull writes the same text.
  const taken = new Set([...names, ...[...formerNames].filter((name) => secretOf(name, env) !== undefined)]);
  for (const name of taken) {
    const value = secretOf(name, env);
    if (value !== undefined && value !== "" && /^\w+$/.test(name)) nameByValue.set(value, name);
  }
  const known = [...nameByValue.keys()]
    .filter((value) => value.length >= KNOWN_CHARACTERS_MIN)
    .sort((a, b) => b.length - a.length);
  const valueByName = new Map<string, string>();

  const blotted = new Set<string>();
  const key = (name: string) =>
    escapePlaceholders(
      known.reduce((written, one) => {
        if (written.includes(one)) blotted.add(one);
        return written.replaceAll(one, REDACTED);
      }, name),
    );
  const secret = (value: string, ...about: string[]) => {
    const name = nameByValue.get(value) ?? freeName(about.map(key), taken);
    taken.add(name);
    nameByValue.set(value, name);
    valueByName.set(name, value);
    return `{{secrets.${name}}}`;
  };
  const values = () => Object.fromEntries([...valueByName].map(([name, value]) => [PREFIX + name, value]));
  const withKnown = (value: string, where: "yaml" | "script"): string => {
    const hit = known.find((one) => value.includes(one));
    if (hit === undefined) return escapePlaceholders(value, where);
    return value
      .split(hit)
      .map((part) => withKnown(part, where))
      .join(secret(hit));
  };
  const text = (value: string, where: "yaml" | "script" = "yaml") => {
    const written = withKnown(value, where);
    // What stands directly beside a placeholder may change its meaning (a backslash does).
    return interpolate(written, values(), where).text === value ? written : secret(value, "TEXT");
  };
  const credential = (value: string, ...about: string[]) => {
    const [, scheme = "", rest = value] = AUTH_SCHEME.exec(value) ?? [];
    return scheme + secret(rest, ...about);
  };
  return {
    secret,
    text,
    key,
    values,
    met: () => [...valueByName.values(), ...blotted],
    url(value, ...about) {
      const written = maskedUrl(value, about);
      return interpolate(written, values()).text === value ? written : secret(value, ...about);
    },
    headers: (value, ...about) =>
      Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          key(name),
          isSecretHeader(name) && item !== "" ? credential(item, ...about, name) : text(item),
        ]),
      ),
    auth: (value, ...about) =>
      mapValues(value, (name, item) =>
        isSecretAuthField(name) && item !== "" ? secret(item, ...about, name) : text(item),
      ),
    variables: () =>
      [...valueByName]
        .map(([name, value]) => ({ name: PREFIX + name, isSet: secretOf(name, env) === value }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };

  function maskedUrl(value: string, about: readonly string[]): string {
    const [, scheme = "", userInfo, rest = ""] = /^(https?:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(value) ?? [];
    if (scheme === "") return text(value);
    const user = userInfo
      ?.split(/:(.*)/s)
      .slice(0, 2)
      .map((part, i) => part && secret(part, ...about, i === 0 ? "user" : "password"));
    const [before, query, fragment] = partsOf(rest);
    const parameters = query?.split("&").map((parameter) => {
      const [name = "", item] = parameter.split(/=(.*)/s);
      return item && isSecretParameter(decoded(name))
        ? `${text(name)}=${secret(item, ...about, decoded(name))}`
        : text(parameter);
    });
    return [
      scheme,
      user ? `${user.join(":")}@` : "",
      text(before),
      parameters ? `?${parameters.join("&")}` : "",
      fragment === undefined ? "" : `#${text(fragment)}`,
    ].join("");
  }
}

/** The names of the secrets that a text refers to. */
export function secretNamesIn(text: string): string[] {
  return [...text.matchAll(/\{\{\s*secrets\.(\w+)\s*\}\}/g)].flatMap(([, name]) => name ?? []);
}

function freeName(about: readonly string[], taken: ReadonlySet<string>): string {
  const words = about.join("_").toUpperCase();
  const wanted =
    words
      .replace(/[^A-Z0-9]+/g, "_")
      .slice(0, 100)
      .replace(/^_+|_+$/g, "") || "SECRET";
  let name = wanted;
  for (let i = 2; taken.has(name); i++) name = `${wanted}_${i}`;
  return name;
}

/** Before the query, the query, the fragment; undefined: there is none. */
function partsOf(rest: string): [string, string | undefined, string | undefined] {
  const [beforeFragment = "", fragment] = rest.split(/#(.*)/s);
  const [before = "", query] = beforeFragment.split(/\?(.*)/s);
  return [before, query, fragment];
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function mapValues(
  value: Readonly<Record<string, string>>,
  map: (name: string, item: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(name, item)]));
}
