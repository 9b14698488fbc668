/**
 * Replaces what looks like a credential in the bodies of a draft's monitors, by the name of its field: other tools keep passwords of
 * logins in bodies, which `svc pull` would write as they are.
 */
import { isObject, isSecretParameter } from "@svc/contract";
import { hasStandIn, type ImportDraft } from "../draft.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Matches a value that a step before extracts, which is no text of the export. */
const STEP_VALUE = /^\{\{values\.\w+\}\}$/;

/** Replaces credentials in the texts of the field `body` of each configuration, and of its steps. */
export function hideSecretsInBodies(draft: ImportDraft): void {
  for (const [at, monitor] of draft.monitors.entries()) {
    const hide = (fields: Fields): Fields =>
      typeof fields.body === "string"
        ? { ...fields, body: hidden(fields.body, monitor.name, draft) }
        : fields;
    const { steps } = monitor.config;
    const config = hide({
      ...monitor.config,
      ...(Array.isArray(steps) && { steps: steps.map((step) => (isObject(step) ? hide(step) : step)) }),
    });
    if (JSON.stringify(config) === JSON.stringify(monitor.config)) continue;
    draft.monitors[at] = { ...monitor, config };
    draft.changed(
      monitor.item,
      "values in the body whose names are those of credentials are secrets now",
      monitor.name,
    );
  }
}

function hidden(body: string, monitor: string, draft: ImportDraft): string {
  return mapBodySecrets(body, (name, value) =>
    hasStandIn(value) || STEP_VALUE.test(value) ? value : draft.secret(monitor, name),
  );
}

/** Matches one token of JSON: a whole string, or what separates strings. Each token is read once, whatever the text is. */
const JSON_TOKEN = /"(?:[^"\\]|\\[\s\S])*"|[^"]+|"/y;

/** Returns a body, JSON or a form, with the values of credential-like names replaced. */
function mapBodySecrets(body: string, map: (name: string, value: string) => string): string {
  return /^\s*[[{]/.test(body) ? mapJson(body, map) : mapForm(body, map);
}

function mapJson(body: string, map: (name: string, value: string) => string): string {
  const tokens: string[] = [];
  JSON_TOKEN.lastIndex = 0;
  for (let match = JSON_TOKEN.exec(body); match; match = JSON_TOKEN.exec(body)) tokens.push(match[0]);
  return tokens
    .map((token, at) => {
      const [before = "", name = ""] = [tokens[at - 1], tokens[at - 2]];
      const isValue = isQuoted(token) && before.trim() === ":" && isQuoted(name);
      const value = token.slice(1, -1);
      return isValue && value !== "" && isSecretParameter(name.slice(1, -1))
        ? `"${map(name.slice(1, -1), value)}"`
        : token;
    })
    .join("");
}

function isQuoted(token: string): boolean {
  return token.length >= 2 && token.startsWith('"');
}

function mapForm(body: string, map: (name: string, value: string) => string): string {
  if (!/^[^\s=&]+=/.test(body)) return body;
  return body
    .split("&")
    .map((part) => {
      const [name = "", value = ""] = part.split(/=(.*)/s);
      return value !== "" && isSecretParameter(name) ? `${name}=${map(name, value)}` : part;
    })
    .join("&");
}
