/** Hides the credentials of URLs. Works on their text, so that everything else stays as it was written. Pure. */
import { isSecretParameter } from "./credential-name.ts";
import { REDACTED } from "./redacted.ts";
import { percentDecoded } from "./text.ts";

/** Matches the parts of a URL: scheme, user name and password, host and path, query, fragment. */
const PARTS = /^((?:https?:[\\/]*|[a-z][a-z0-9+.-]*:\/\/))([^\\/?#]*@)?([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** Matches a URL that stands in a text, up to the first character that ends one there. */
const URLS_IN_TEXT = /\bhttps?:\/\/[^\s"'<>)]+/gi;

/** Matches characters that URL parsers skip: with them in its midst, no part of a URL is certain. */
const SKIPPED = /^[\0-\u0020]|[\t\r\n]/;

/**
 * Returns the URL with its user name, its password and the values of credential-like parameters, in query and fragment,
 * replaced. A text that is not a URL is returned unchanged.
 */
export function maskUrl(text: string): string {
  return mapUrlCredentials(text, () => REDACTED);
}

/** Returns the text with the credentials of all URLs in it replaced. */
export function maskUrlsIn(text: string): string {
  return text.includes("://") ? text.replaceAll(URLS_IN_TEXT, maskUrl) : text;
}

/** Lists the credentials of a URL as they are written there, percent-encoded. */
export function credentialsOfUrl(text: string): string[] {
  const credentials: string[] = [];
  mapUrlCredentials(text, (value) => {
    credentials.push(value);
    return value;
  });
  return credentials;
}

/** Lists the credentials of all URLs in a text. */
export function credentialsOfUrlsIn(text: string): string[] {
  return text.includes("://") ? (text.match(URLS_IN_TEXT) ?? []).flatMap(credentialsOfUrl) : [];
}

/**
 * Returns the URL with each of its credentials replaced.
 * @param map gets the credential as it is written, and the parameter's name, `user` or `password`
 * @param rest rewrites every other part
 */
export function mapUrlCredentials(
  text: string,
  map: (credential: string, name: string) => string,
  rest: (part: string) => string = (part) => part,
): string {
  const readable = SKIPPED.test(text) && URL.canParse(text) ? new URL(text).href : text;
  const parts = PARTS.exec(readable);
  if (!parts) return rest(text);
  const [, scheme = "", userInfo, address = "", query, fragment] = parts;
  const parameters = (part: string | undefined) =>
    part === undefined ? "" : part[0] + mapParameters(part.slice(1), map, rest);
  return [
    scheme,
    userInfo === undefined ? "" : `${mapUserInfo(userInfo.slice(0, -1), map)}@`,
    rest(address),
    parameters(query),
    parameters(fragment),
  ].join("");
}

function mapUserInfo(userInfo: string, map: (credential: string, name: string) => string): string {
  return userInfo
    .split(/:(.*)/s)
    .slice(0, 2)
    .map((part, index) => part && map(part, index === 0 ? "user" : "password"))
    .join(":");
}

/** Rewrites the values of parameters; a fragment may hold them behind a path of its own. */
function mapParameters(
  text: string,
  map: (credential: string, name: string) => string,
  rest: (part: string) => string,
): string {
  return text
    .split(/([?&;])/)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      const [name = "", value] = part.split(/=(.*)/s);
      if (!value) return rest(part);
      const plainName = decodedParameter(name);
      return isSecretParameter(plainName) || holdsCredential(value)
        ? `${rest(name)}=${map(value, plainName)}`
        : rest(part);
    })
    .join("");
}

/** True when a parameter's value is a URL with credentials of its own. Each level of encoding is looked through. */
function holdsCredential(value: string): boolean {
  if (/^\s*https?:/i.test(value)) return credentialsOfUrl(value).length > 0;
  const plain = decodedParameter(value);
  return plain !== value && holdsCredential(plain);
}

/** Returns the text of a parameter's name or value, in which a plus sign stands for a space. */
export function decodedParameter(text: string): string {
  return percentDecoded(text.replaceAll("+", " "));
}
