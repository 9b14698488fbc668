/**
 * Fills in placeholders: {{secrets.NAME}}, {{env.NAME}} and, outside scripts, ${NAME}. In one pass: placeholders in a
 * variable's value stay text. A backslash directly before a placeholder makes it ordinary text. An invalid name counts
 * as unset, and a text that is nearly a placeholder is refused, so that a typo fails instead of being deployed.
 */

/** Pattern of braces that are nearly a placeholder, such as {{secret.X}}, {{vars.X}} or {{secrets.A B}}; they are refused. */
const MANGLED_BRACES =
  "\\{\\{\\s*(?:[Ss]ecrets?|SECRETS?|[Ee]nvs?|ENV|[Vv]ars?|variables?|process\\.env)\\.[^{}]*\\}\\}";
/** Pattern of a shell's variable with a default or another operator, such as ${X:-y}; such variables are refused. */
const MANGLED_VARIABLE = "\\$\\{[A-Za-z_][A-Za-z0-9_]*[-:+?=][^{}]*\\}";
const BRACES = "\\{\\{\\s*(?<kind>secrets|env)\\.(?<name>[^\\s{}]*)\\s*\\}\\}";
const VARIABLE = "\\$\\{(?<variable>[A-Za-z_][A-Za-z0-9_]*)\\}";

const PLACEHOLDER = new RegExp(
  `(?<backslash>\\\\?)(?:${BRACES}|${VARIABLE}|(?<mangled>${MANGLED_BRACES}|${MANGLED_VARIABLE}))`,
  "g",
);
const PLACEHOLDER_IN_SCRIPT = new RegExp(
  `(?<backslash>\\\\?)(?:${BRACES}|(?<mangled>${MANGLED_BRACES}))`,
  "g",
);

/** Named parts of a placeholder: `{{kind.name}}` or `${variable}`; `mangled`: nearly one, which is refused. */
interface PlaceholderParts {
  backslash: string;
  kind?: string;
  name?: string;
  variable?: string;
  mangled?: string;
}

/** Variables that no config needs: the user's own key would go wherever a config says. */
const NEVER_READ = new Set(["SVC_API_KEY"]);

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A text with its placeholders filled in. */
export interface Interpolated {
  text: string;
  /** Placeholders without a value; they stay in the text. */
  unresolved: { placeholder: string; offset: number; message: string }[];
  /** Values that {{secrets.X}} resolved to. */
  secrets: string[];
}

/** The kind of text: scripts use ${NAME} for themselves. */
export type TextKind = "yaml" | "script";

/** Fills in the placeholders of one text. */
export function interpolate(text: string, env: Environment, where: TextKind = "yaml"): Interpolated {
  const found: Interpolated = { text, unresolved: [], secrets: [] };
  if (!mayHavePlaceholder(text)) return found;
  found.text = text.replace(where === "yaml" ? PLACEHOLDER : PLACEHOLDER_IN_SCRIPT, (...match: unknown[]) => {
    const [matched, parts] = [match[0] as string, match.at(-1) as PlaceholderParts];
    if (parts.backslash !== "") return matched.slice(1);
    const offset = match.at(-3) as number;
    if (parts.mangled !== undefined) {
      found.unresolved.push({ placeholder: matched, offset, message: noPlaceholder(matched, where) });
      return matched;
    }
    const { kind } = parts;
    const variable = (parts.variable ?? parts.name) as string;
    const value = kind === "secrets" ? secretOf(variable, env) : readable(variable, env);
    if (value === undefined) {
      found.unresolved.push({ placeholder: matched, offset, message: unresolved(matched, kind, variable) });
      return matched;
    }
    if (kind === "secrets") found.secrets.push(value);
    return value;
  });
  return found;
}

/** True when a YAML text has a placeholder that would be filled in if the text were a value. */
export function hasPlaceholder(text: string): boolean {
  return (
    mayHavePlaceholder(text) && [...text.matchAll(PLACEHOLDER)].some(([, backslash]) => backslash === "")
  );
}

/** Filters out most texts of a config, far cheaper than a search by pattern. */
function mayHavePlaceholder(text: string): boolean {
  return text.includes("{{") || text.includes("${");
}

/** Returns a text that {@link interpolate} turns back into `text`. */
export function escapePlaceholders(text: string, where: TextKind = "yaml"): string {
  return text.replace(where === "yaml" ? PLACEHOLDER : PLACEHOLDER_IN_SCRIPT, (matched) => `\\${matched}`);
}

/**
 * Returns the value of {{secrets.NAME}}: that of SVC_SECRET_NAME, else of NAME. An empty one counts as missing: CI
 * systems set a secret that they don't have to an empty text, and a deploy would store an empty credential.
 */
export function secretOf(name: string, env: Environment): string | undefined {
  return env[`SVC_SECRET_${name}`] || readable(name, env) || undefined;
}

function readable(name: string, env: Environment): string | undefined {
  return NEVER_READ.has(name) ? undefined : env[name];
}

function noPlaceholder(text: string, where: TextKind): string {
  const forms =
    where === "yaml" ? "{{secrets.NAME}}, {{env.NAME}} or ${NAME}" : "{{secrets.NAME}} or {{env.NAME}}";
  return `${text} is no placeholder; write ${forms}, or \\${text} for the text itself`;
}

function unresolved(placeholder: string, kind: string | undefined, name: string): string {
  if (NEVER_READ.has(name)) return `${placeholder} can't be used in a config`;
  return kind === "secrets"
    ? `${placeholder} is not set: neither SVC_SECRET_${name} nor ${name} is in the environment`
    : `${placeholder} is not set: ${name} is not in the environment`;
}
