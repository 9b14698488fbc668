/** What is known of a check wherever it is told of: its resource attributes. Pure. */
import { type CheckType, maskUrl } from "@svc/contract";
import type { EventAttributes } from "../derived-event-store.ts";
import { ATTR, LABEL_ATTRIBUTE_PREFIX, SERVICE_NAME } from "./attributes.ts";
import { type Resource, resourceOf } from "./otlp.ts";

/** A check as it is now. */
export interface CheckFacts {
  key: number;
  id: string;
  name: string;
  type: CheckType;
  /** What it requests; null: not known, as of a scripted browser check. */
  url: string | null;
  labels: readonly string[];
}

/** The resource of check-scoped records. */
export function checkResource(check: CheckFacts, more: EventAttributes = {}): Resource {
  return resourceOf({
    [ATTR.serviceName]: SERVICE_NAME,
    [ATTR.checkId]: check.id,
    [ATTR.checkName]: check.name,
    [ATTR.checkType]: check.type,
    [ATTR.urlFull]: check.url === null ? null : exportedUrl(check.url),
    ...more,
    ...labelAttributes(check.labels),
  });
}

/** `key:value` gives value, a label without a colon gives the text true. */
export function labelAttributes(labels: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    labels.map((label) => {
      const colon = label.indexOf(":");
      return colon < 0
        ? [LABEL_ATTRIBUTE_PREFIX + label, "true"]
        : [LABEL_ATTRIBUTE_PREFIX + label.slice(0, colon), label.slice(colon + 1)];
    }),
  );
}

/** As semantic conventions ask of url.full: no user name, no password, no credentials in the query. */
function exportedUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username === "" && url.password === "") return maskUrl(text);
  url.username = "";
  url.password = "";
  return maskUrl(url.href);
}
