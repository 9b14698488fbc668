/** Assertions of Checkly's API checks. */

import { body, type DraftAssertion, header, json, respondsWithin, status } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { withBraceVariables } from "../../carry/http.ts";
import { jsonValueOf, patternOf, simplePath } from "../../carry/patterns.ts";
import type { ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";

/** An assertion taken apart. */
interface Parts {
  comparison: string;
  property: string;
  target: string;
  /** Pattern that picks the part of a body that is compared; undefined: the whole body. */
  regex: string | undefined;
}

/** Returns our assertions of one of Checkly's; none, with a note, when they can't say what it says. */
export function assertionsOf(
  assertion: Item,
  { draft, name }: { draft: ImportDraft; name: string },
): DraftAssertion[] {
  const source = assertion.get("source").text() ?? "";
  const parts: Parts = {
    comparison: assertion.get("comparison").text() ?? "",
    property: assertion.get("property").text() ?? "",
    target: withBraceVariables(assertion.get("target"), draft, name) ?? "",
    regex: assertion.get("regex").filled(),
  };
  const found = entryOf(BY_SOURCE, source)?.(parts);
  if (found) {
    if (
      source === "JSON_BODY" &&
      parts.comparison.endsWith("EQUALS") &&
      typeof jsonValueOf(parts.target) !== "string"
    )
      draft.changed(
        assertion,
        `the value is compared with the ${typeof jsonValueOf(parts.target)}, not with its text`,
        name,
      );
    return [found];
  }
  draft.leftOut(assertion, `no assertion says what this one says (${source} ${parts.comparison})`, name);
  return [];
}

const BY_SOURCE: Readonly<Record<string, (parts: Parts) => DraftAssertion | undefined>> = {
  STATUS_CODE: ({ comparison, target }) => {
    const code = Number(target);
    return target.trim() !== "" && Number.isFinite(code) ? entryOf(STATUS, comparison)?.(code) : undefined;
  },
  RESPONSE_TIME: ({ comparison, target }) => {
    const max = Number(target);
    return comparison === "LESS_THAN" && target.trim() !== "" && max >= 0 ? respondsWithin(max) : undefined;
  },
  TEXT_BODY: ({ comparison, target, regex, property }) => {
    const pattern = regex ?? (property === "" ? undefined : property);
    if (pattern !== undefined)
      return comparison === "NOT_EMPTY" && "pattern" in patternOf(pattern)
        ? body.matches(pattern)
        : undefined;
    return entryOf(TEXT, comparison)?.(target);
  },
  HEADERS: ({ comparison, property, target, regex }) => {
    if (regex !== undefined || property === "") return undefined;
    return entryOf(HEADER, comparison)?.(property, target);
  },
  JSON_BODY: ({ comparison, property, target }) => {
    const path = property.trim() === "" ? "$" : simplePath(property);
    return path === undefined ? undefined : entryOf(JSON_VALUE, comparison)?.(path, target);
  },
};

const STATUS: Readonly<Record<string, (code: number) => DraftAssertion>> = {
  EQUALS: status.is,
  NOT_EQUALS: status.isNot,
  LESS_THAN: status.below,
  GREATER_THAN: status.above,
};

const TEXT: Readonly<Record<string, (target: string) => DraftAssertion>> = {
  EQUALS: body.is,
  CONTAINS: body.contains,
  NOT_CONTAINS: body.lacks,
  IS_EMPTY: () => body.is(""),
  NOT_EMPTY: () => body.matches("[\\s\\S]"),
};

const HEADER: Readonly<Record<string, (name: string, target: string) => DraftAssertion>> = {
  EQUALS: header.is,
  CONTAINS: header.contains,
  NOT_EMPTY: (name) => header.exists(name),
};

const JSON_VALUE: Readonly<Record<string, (path: string, target: string) => DraftAssertion>> = {
  EQUALS: (path, target) => json.is(path, jsonValueOf(target)),
  NOT_EQUALS: (path, target) => json.isNot(path, jsonValueOf(target)),
  CONTAINS: json.contains,
  IS_NULL: (path) => json.is(path, null),
  NOT_NULL: (path) => json.isNot(path, null),
};
