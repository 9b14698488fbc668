/** A check in the editor: the body that creates it, and how a stored check becomes one and a change of it. */
import { type Check, type CheckType, checkTypes, pushedTraitsOf } from "@svc/contract";

/** Body of the request that creates a check, as far as somebody has filled it in. */
export interface CheckDraft extends Record<string, unknown> {
  type: CheckType;
  name?: string;
  /** Sent by a request of their own: they are no part of a check's body. */
  labels?: string[];
}

/** Returns what a new check begins with: a request that is judged by its status. */
export function newDraft(): CheckDraft {
  return {
    type: "http",
    name: "",
    frequencySeconds: 300,
    locations: [],
    httpConfig: { url: "", assertions: [{ type: "status_code", operator: "equals", value: 200 }] },
    labels: [],
  };
}

/** Returns a stored check as the draft that would create it. */
export function draftOf(
  check: Pick<Check, "type" | "name" | "enabled" | "frequencySeconds" | "locations" | "configJson"> & {
    retry: unknown;
    dependsOn?: readonly string[] | undefined;
  },
  labels: readonly string[],
): CheckDraft {
  const { type, name, enabled, frequencySeconds, locations, retry, configJson, dependsOn } = check;
  return {
    type,
    name,
    enabled,
    ...(!pushedTraitsOf(type) && { frequencySeconds, locations, ...(retry !== null && { retry }) }),
    [configKeyOf(type)]: configJson,
    ...(dependsOn && { dependsOn: [...dependsOn] }),
    labels: [...labels],
  };
}

/** Returns the draft of another type, with the fields that it has in common with the former one. */
export function withType(
  { frequencySeconds, locations, retry, ...draft }: CheckDraft,
  type: CheckType,
  config: unknown,
): CheckDraft {
  const { [configKeyOf(draft.type)]: _config, ...common } = draft;
  // How a check is probed says nothing about one that reports by itself.
  const probing = { frequencySeconds: frequencySeconds ?? 300, locations: locations ?? [], retry };
  return { ...common, ...(!pushedTraitsOf(type) && probing), type, [configKeyOf(type)]: config };
}

/** Returns the body that creates the check of a draft. */
export function bodyOf({ labels: _labels, ...body }: CheckDraft): Record<string, unknown> {
  return body;
}

/** Returns the body that changes a stored check to a draft. */
export function updateOf(draft: CheckDraft): Record<string, unknown> {
  const { type, name, enabled, frequencySeconds, locations, retry = null, dependsOn = [] } = draft;
  return {
    name,
    enabled,
    frequencySeconds,
    locations,
    retry,
    dependsOn,
    configJson: draft[configKeyOf(type)],
  };
}

/** Returns the field of a draft that holds its configuration. */
export function configKeyOf(type: CheckType): string {
  return checkTypes.get(type).configKey;
}

/** Returns the URL, the endpoint or the host that a draft names; "" for none yet. */
export function targetOf(draft: CheckDraft): string {
  const { configKey, targetField } = checkTypes.get(draft.type);
  const config = draft[configKey] as Record<string, unknown> | undefined;
  const target = targetField === undefined ? undefined : config?.[targetField];
  return typeof target === "string" ? target : "";
}

/** A host name of several labels, or an IPv4 address: with less than that somebody may just have begun to type a URL. */
const HOST = /^[\w-]+(?:\.[\w-]+)+$/;

/** Returns a name for a check by its target: the host, and the path of a URL that has one. */
export function nameOfTarget(target: string): string {
  if (!URL.canParse(target)) return HOST.test(target) ? target.slice(0, 255) : "";
  const { host, pathname } = new URL(target);
  return (pathname === "/" ? host : host + pathname).slice(0, 255);
}
