/**
 * Placeholders: {{secrets.NAME}}, {{env.NAME}} and, outside scripts, ${NAME}. One pass: what a variable holds is not looked at
 * again. A backslash directly before one makes it ordinary text. A name of any other sign is taken for one that is not set, so that
 * a slip of the pen is told rather than deployed.
 */

const PLACEHOLDER = /(\\?)(?:\{\{\s*(secrets|env)\.([^\s{}]*)\s*\}\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\})/g;
const PLACEHOLDER_IN_SCRIPT = /(\\?)\{\{\s*(secrets|env)\.([^\s{}]*)\s*\}\}/g;

/** The user's own key would go wherever a config says; no config needs it. */
const NEVER_READ = new Set(["SVC_API_KEY"]);

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Interpolated {
  text: string;
  /** Those that stayed as they were. */
  unresolved: { placeholder: string; offset: number; message: string }[];
  /** Values that {{secrets.X}} resolved to. */
  secrets: string[];
}

export function interpolate(text: string, env: Environment, where: "yaml" | "script" = "yaml"): Interpolated {
  const found: Interpolated = { text, unresolved: [], secrets: [] };
  if (!mayHavePlaceholder(text)) return found;
  found.text = text.replace(
    where === "yaml" ? PLACEHOLDER : PLACEHOLDER_IN_SCRIPT,
    (matched: string, backslash: string, kind?: string, name?: string, ...rest: unknown[]) => {
      if (backslash !== "") return matched.slice(1);
      const dollar = where === "yaml" && typeof rest[0] === "string" ? rest[0] : undefined;
      const offset = rest.find((item) => typeof item === "number") as number;
      const variable = dollar ?? (name as string);
      const value = kind === "secrets" ? secretOf(variable, env) : readable(variable, env);
      if (value === undefined) {
        found.unresolved.push({ placeholder: matched, offset, message: unresolved(matched, kind, variable) });
        return matched;
      }
      if (kind === "secrets") found.secrets.push(value);
      return value;
    },
  );
  return found;
}

/** Whether a YAML text has one that would be filled in, were it a value. */
export function hasPlaceholder(text: string): boolean {
  return (
    mayHavePlaceholder(text) && [...text.matchAll(PLACEHOLDER)].some(([, backslash]) => backslash === "")
  );
}

/** Asked of every text of a config: far cheaper than to look for one. */
function mayHavePlaceholder(text: string): boolean {
  return text.includes("{{") || text.includes("${");
}

/** The text that {@link interpolate} gives back as it was. */
export function escapePlaceholders(text: string, where: "yaml" | "script" = "yaml"): string {
  return text.replace(where === "yaml" ? PLACEHOLDER : PLACEHOLDER_IN_SCRIPT, (matched) => `\\${matched}`);
}

/** SVC_SECRET_NAME, else NAME. */
export function secretOf(name: string, env: Environment): string | undefined {
  return env[`SVC_SECRET_${name}`] ?? readable(name, env);
}

function readable(name: string, env: Environment): string | undefined {
  return NEVER_READ.has(name) ? undefined : env[name];
}

function unresolved(placeholder: string, kind: string | undefined, name: string): string {
  if (NEVER_READ.has(name)) return `${placeholder} can't be used in a config`;
  return kind === "secrets"
    ? `${placeholder} is not set: neither SVC_SECRET_${name} nor ${name} is in the environment`
    : `${placeholder} is not set: ${name} is not in the environment`;
}
