/** Builds the resource of a check: the attributes that all its records, spans and metrics share. Pure. */
import { type CheckType, maskUrl } from "@svc/contract";
import type { EventAttributes } from "../derived-events/store.ts";
import { ATTR, LABEL_ATTRIBUTE_PREFIX, SERVICE_NAME } from "./attributes.ts";
import { type Resource, resourceOf } from "./otlp.ts";

/** The present state of a check. */
export interface ExportedCheck {
  key: number;
  id: string;
  name: string;
  type: CheckType;
  /** The URL that it requests; null: not known, as for a scripted browser check. */
  url: string | null;
  labels: readonly string[];
}

/** Returns the resource of check-scoped records. */
export function checkResource(check: ExportedCheck, more: EventAttributes = {}): Resource {
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

/**
 * Returns an attribute for each label. The label `key:value` has the value `value`; one without a colon, the text
 * `true`.
 */
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

/** Returns the URL as the semantic conventions want url.full: without user name, password and credentials in the query. */
function exportedUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username === "" && url.password === "") return maskUrl(text);
  url.username = "";
  url.password = "";
  return maskUrl(url.href);
}
