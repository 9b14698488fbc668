/** Replaces the secrets of a pulled config by {{secrets.NAME}}, with names that say what they are. */
import {
  isSecretAuthField,
  isSecretHeader,
  mapUrlCredentials,
  REDACTED,
  valueReferencesIn,
  vaultNamesIn,
} from "@svc/contract";
import { type Environment, escapePlaceholders, interpolate, secretOf, type TextKind } from "./interpolate.ts";

/** Replaces secrets and remembers the placeholders that stand for them: equal secrets get one placeholder. */
export interface Placeholders {
  /**
   * Returns the placeholder of a whole credential.
   * @param about words for its name: monitor, field
   */
  secret(value: string, ...about: string[]): string;
  /** Rewrites a text that may hold known secrets; placeholders that it has itself stay text. */
  text(value: string, where?: TextKind): string;
  /** Rewrites a key of the user's own (a header's name). Keys take no placeholders: a known secret in one is blotted out. */
  key(name: string): string;
  /** Rewrites a URL: user, password and credential-like parameters become placeholders. */
  url(value: string, ...about: string[]): string;
  headers(value: Readonly<Record<string, string>>, ...about: string[]): Record<string, string>;
  auth(value: Readonly<Record<string, string>>, ...about: string[]): Record<string, string>;
  /** Lists the environment variables that the config needs, in alphabetical order, and whether each has the right value. */
  variables(): { name: string; isSet: boolean }[];
  /** Returns the values by environment variable. */
  values(): Record<string, string>;
  /** Returns every secret that was met, also those blotted out: no output may show them. */
  met(): string[];
}

/** Texts that stand for values nobody knows. */
export interface StandIns {
  /** Matches one, captured as a whole; without the flag g. */
  pattern: RegExp;
  /** The texts by the names of their values. */
  byName: ReadonlyMap<string, string>;
}

const NO_STAND_INS: StandIns = { pattern: /($^)/, byName: new Map() };

/** Shortest value that is searched for in texts; shorter ones would be found in every other text. */
export const KNOWN_CHARACTERS_MIN = 6;
const PREFIX = "SVC_SECRET_";
/** Matches the scheme in front of a header's credential, which is no secret itself. */
const AUTH_SCHEME = /^((?:Bearer|Basic|Token|ApiKey)[ ]+)(.+)$/is;

/**
 * Creates the placeholders of one pull.
 * @param env variables whose SVC_SECRET_ values are recognised wherever they stand
 * @param formerNames names of the placeholders in the former config: a value that one stands for keeps its name
 * @param standIns texts that stand for values nobody knows here: each becomes a placeholder of its name, also within a credential
 */
export function createPlaceholders(
  env: Environment,
  formerNames: Iterable<string> = [],
  standIns: StandIns = NO_STAND_INS,
): Placeholders {
  const nameByValue = new Map<string, string>();
  const names = Object.keys(env).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []));
  // A former name without a value here stays free: its field gets it again, so that a second pull writes an equal text.
  const usedNames = new Set([
    ...names,
    ...[...formerNames].filter((name) => secretOf(name, env) !== undefined),
  ]);
  for (const name of usedNames) {
    if (standIns.byName.has(name)) continue;
    const value = secretOf(name, env);
    if (value !== undefined && value !== "" && /^\w+$/.test(name)) nameByValue.set(value, name);
  }
  const known = [...nameByValue.keys()]
    .filter((value) => value.length >= KNOWN_CHARACTERS_MIN)
    .sort((a, b) => b.length - a.length);
  for (const [name, standIn] of standIns.byName) {
    usedNames.add(name);
    nameByValue.set(standIn, name);
  }
  const valueByName = new Map<string, string>();
  /** The values by environment variable. */
  const filledIn: Record<string, string> = {};

  const blotted = new Set<string>();
  const key = (name: string) =>
    escapePlaceholders(
      known.reduce((written, one) => {
        if (written.includes(one)) blotted.add(one);
        return written.replaceAll(one, REDACTED);
      }, name),
    );
  const secret = (value: string, ...about: string[]) => {
    const name = nameByValue.get(value) ?? freeName(about.map(key), usedNames);
    usedNames.add(name);
    nameByValue.set(value, name);
    valueByName.set(name, value);
    filledIn[PREFIX + name] = value;
    return `{{secrets.${name}}}`;
  };
  const withKnown = (value: string, where: TextKind): string => {
    if (standIns.pattern.test(value))
      return value
        .split(standIns.pattern)
        .map((part, at) => (at % 2 === 1 ? secret(part) : withKnown(part, where)))
        .join("");
    const hit = known.find((one) => value.includes(one));
    if (hit === undefined) return escapePlaceholders(value, where);
    return value
      .split(hit)
      .map((part) => withKnown(part, where))
      .join(secret(hit));
  };
  const text = (value: string, where: TextKind = "yaml") => {
    const written = withKnown(value, where);
    // A character directly beside a placeholder may change its meaning (a backslash does): then the whole text becomes one.
    return interpolate(written, filledIn, where).text === value ? written : secret(value, "TEXT");
  };
  /** A value with a reference, or a stand-in, is written as it is: the secret part of it is elsewhere. */
  const secretUnlessReference = (value: string, ...about: string[]) =>
    vaultNamesIn(value).length > 0 || valueReferencesIn(value).length > 0 || standIns.pattern.test(value)
      ? text(value)
      : secret(value, ...about);
  const credential = (value: string, ...about: string[]) => {
    const [, scheme = "", rest = value] = AUTH_SCHEME.exec(value) ?? [];
    return scheme + secretUnlessReference(rest, ...about);
  };
  return {
    secret: secretUnlessReference,
    text,
    key,
    values: () => ({ ...filledIn }),
    met: () => [...valueByName.values(), ...blotted],
    url(value, ...about) {
      const written = maskedUrl(value, about);
      return interpolate(written, filledIn).text === value ? written : secret(value, ...about);
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
        isSecretAuthField(name) && item !== "" ? secretUnlessReference(item, ...about, name) : text(item),
      ),
    variables: () =>
      [...valueByName]
        .map(([name, value]) => ({ name: PREFIX + name, isSet: isSet(name, value) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };

  /** True when the environment has the right value; of a stand-in, any value. */
  function isSet(name: string, value: string): boolean {
    const given = secretOf(name, env);
    return standIns.byName.has(name) ? given !== undefined : given === value;
  }

  function maskedUrl(value: string, about: readonly string[]): string {
    return mapUrlCredentials(
      value,
      (credential, name) => secretUnlessReference(credential, ...about, name),
      text,
    );
  }
}

/** Returns the names of the secrets that a text refers to. */
export function secretNamesIn(text: string): string[] {
  return [...text.matchAll(/\{\{\s*secrets\.(\w+)\s*\}\}/g)].flatMap(([, name]) => name ?? []);
}

function freeName(about: readonly string[], usedNames: ReadonlySet<string>): string {
  const words = about.join("_").toUpperCase();
  const wanted =
    words
      .replace(/[^A-Z0-9]+/g, "_")
      .slice(0, 100)
      .replace(/^_+|_+$/g, "") || "SECRET";
  let name = wanted;
  for (let i = 2; usedNames.has(name); i++) name = `${wanted}_${i}`;
  return name;
}

function mapValues(
  value: Readonly<Record<string, string>>,
  map: (name: string, item: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(name, item)]));
}
