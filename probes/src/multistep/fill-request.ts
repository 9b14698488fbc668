/**
 * Puts extracted values into a step's request. A value comes from a target, so it is written so that it stays what its place says: a
 * part of a path or a parameter, of a header, of a text in JSON. Pure.
 */
import { replaceValueReferences } from "@svc/contract";
import { type ExtractedValue, type Step, StepProblem } from "./step.ts";

/** Most characters of all values that are put into one request: a value may be referred to many times. */
const FILLED_CHARACTERS_MAX = 1024 * 1024;
const URL_CHARACTERS_MAX = 8_192;
const HEADER_CHARACTERS_MAX = 16_384;
/** A header's value: no control characters except tab, none beyond Latin-1 (RFC 9110). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const HEADER_VALUE = /^[^\u0000-\u0008\u000a-\u001f\u007f\u0100-\uffff]*$/;

/** The part of a step in which values are put. */
export type FilledRequest = Pick<Step, "url" | "method" | "headers" | "body" | "auth" | "resendBody">;

/**
 * Returns the step's request with the values in the places of their references.
 * @throws StepProblem when a value does not fit its place
 */
export function fillRequest(step: Step, values: ReadonlyMap<string, ExtractedValue>): FilledRequest {
  const { url, method, headers, body, auth, resendBody } = step;
  let characters = 0;
  const fill = (text: string, write: (value: string) => string) =>
    replaceValueReferences(text, (name) => {
      const value = values.get(name);
      if (!value) throw new StepProblem(`the value ${name} is not known`);
      const written = write(value.text);
      characters += written.length;
      if (characters > FILLED_CHARACTERS_MAX)
        throw new StepProblem(
          `the values in the request have more than ${FILLED_CHARACTERS_MAX} characters together`,
        );
      return written;
    });
  const header = (text: string, name: string) => fittingHeader(fill(text, asIs), name);
  return {
    url: fittingUrl(url, fill(url, percentEncoded)),
    method,
    headers: headers && mapEntries(headers, header),
    body: body === undefined ? undefined : fill(body, bodyWriter(headers)),
    auth: auth && filledAuth(auth, fill, header),
    resendBody,
  };
}

type Fill = (text: string, write: (value: string) => string) => string;

function filledAuth(
  auth: NonNullable<Step["auth"]>,
  fill: Fill,
  header: (text: string, name: string) => string,
): NonNullable<Step["auth"]> {
  switch (auth.type) {
    case "basic":
      return { ...auth, username: fill(auth.username, asIs), password: fill(auth.password, asIs) };
    case "bearer":
      return { ...auth, token: header(auth.token, "Authorization") };
    case "api-key":
      return { ...auth, value: header(auth.value, auth.header) };
  }
}

function fittingHeader(value: string, name: string): string {
  if (!HEADER_VALUE.test(value))
    throw new StepProblem(
      `a value in the header ${name} has a line break or another character that no header can have`,
    );
  if (value.length > HEADER_CHARACTERS_MAX)
    throw new StepProblem(`with its values the header ${name} is too long`);
  return value;
}

/** Percent-encoding keeps a value from being anything but one segment of a path or one parameter; the origin is compared all the same. */
function fittingUrl(template: string, filled: string): string {
  if (template === filled) return filled;
  if (filled.length > URL_CHARACTERS_MAX) throw new StepProblem("with its values the URL is too long");
  const [before, after] = [new URL(template), URL.canParse(filled) ? new URL(filled) : undefined];
  const isSameOrigin =
    after?.origin === before.origin &&
    after.username === before.username &&
    after.password === before.password;
  if (!isSameOrigin) throw new StepProblem("a value would change the host that is asked");
  const shapeOf = ({ pathname }: URL) => `${pathname.split("/").length} ${pathname.endsWith("/")}`;
  if (shapeOf(after) !== shapeOf(before))
    throw new StepProblem('a value in the URL is "." or "..", which would change its path');
  return filled;
}

/** Returns how values are written into a body: by the content type that the step's headers name. */
function bodyWriter(headers: Step["headers"]): (value: string) => string {
  const [, contentType = ""] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  if (/\bjson\b/i.test(contentType)) return insideOfJsonText;
  return /^application\/x-www-form-urlencoded\b/i.test(contentType) ? percentEncoded : asIs;
}

function insideOfJsonText(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

function asIs(value: string): string {
  return value;
}

function mapEntries(
  record: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
