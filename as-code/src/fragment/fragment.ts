/**
 * Completes a fragment of a config, whose entries of monitors that exist say only what is to change, by the config of those monitors.
 * Pure. The result is a whole config: nothing in it has to be looked up.
 */
import { checkTypes, isObject } from "@svc/contract";
import { parse, YAMLError } from "yaml";
import { interpolate } from "../interpolate.ts";
import { yamlText } from "../yaml-text.ts";

type Fields = Record<string, unknown>;

/** Names that a fragment refers to. */
export interface FragmentNames {
  /** Monitors that it has an entry for, or that its SLOs and windows are about. */
  monitors: string[];
  /** Channels that its rules, policies and SLOs notify. */
  channels: string[];
}

/** A fragment that can't be completed, with a sentence for whoever wrote it. */
export class FragmentError extends Error {}

/** Aliases of one anchor in a fragment: it is short, and needs none. */
const ALIASES_MAX = 100;
/** The parts of a config that a fragment may have; the others would change entries that the fragment doesn't name. */
const LISTS = ["monitors", "thirdPartyPatterns", "slos", "alertPolicies", "maintenanceWindows"] as const;
const PARTS: readonly string[] = ["project", "alertChannels", ...LISTS];

/** Lists the names that a fragment refers to, each once. @throws FragmentError for a text that is no fragment */
export function namesInFragment(text: string): FragmentNames {
  const root = fragmentIn(text);
  const about = [
    ...root.monitors.flatMap(({ name, renamedFrom, dependsOn }) => [
      name,
      renamedFrom,
      ...(Array.isArray(dependsOn) ? dependsOn : []),
    ]),
    ...root.slos.map(({ monitor }) => monitor),
    ...root.maintenanceWindows.flatMap(({ checks }) => (Array.isArray(checks) ? checks : [])),
  ];
  const notifying = [...root.monitors.flatMap(alertsOf), ...root.alertPolicies, ...root.slos];
  const channels = notifying.flatMap((one) => (Array.isArray(one.channels) ? one.channels : []));
  return {
    monitors: unique(about.filter(isText)),
    // A channel that the fragment has itself may exist: then it is not the fragment's to change.
    channels: unique([
      ...channels.filter(isText).map((name) => name.replace(/^@/, "")),
      ...Object.keys(root.alertChannels),
    ]),
  };
}

/**
 * Returns the fragment as a whole config, YAML. An entry of a monitor that `existing` has keeps what it doesn't name, and its alert
 * rules come beside those that are there; a rule with the name of one takes its part. Channels that exist are taken from there.
 * @param existing config of the monitors and channels that the fragment names and that exist, as `svc pull` writes it
 * @throws FragmentError for a text that is no fragment, or that says what no entry of an existing monitor can say
 */
export function completeFragment(text: string, existing: string): string {
  const fragment = fragmentIn(text);
  const known = existingIn(existing);
  const monitors = fragment.monitors.map((entry) => {
    const { name, renamedFrom } = entry;
    const one =
      (isText(name) ? known.monitors.get(name) : undefined) ??
      (isText(renamedFrom) ? known.monitors.get(renamedFrom) : undefined);
    return one ? completed(entry, one) : entry;
  });
  const has = new Set<unknown>(monitors.map(({ name }) => name));
  const renamed = new Set(fragment.monitors.map(({ renamedFrom }) => renamedFrom));
  const references = [...known.monitors].flatMap(([name, entry]) =>
    has.has(entry.name) || renamed.has(name) ? [] : [entry],
  );
  const config: Fields = {
    project: isText(fragment.project) ? fragment.project : known.project,
    alertChannels: { ...fragment.alertChannels, ...known.channels },
    monitors: [...monitors, ...references],
  };
  for (const list of LISTS) if (list !== "monitors") config[list] = fragment[list];
  return yamlText(Object.fromEntries(Object.entries(config).filter(([, part]) => !isEmpty(part))));
}

type Fragment = Record<(typeof LISTS)[number], Fields[]> & { project: unknown; alertChannels: Fields };

function fragmentIn(text: string): Fragment {
  const root = parsed(text);
  if (!isObject(root)) throw new FragmentError("Expected a map with monitors, slos and so on.");
  const foreign = Object.keys(root).find((key) => !PARTS.includes(key));
  if (foreign !== undefined)
    throw new FragmentError(`${foreign}: a fragment has ${PARTS.join(", ")}, and nothing else.`);
  const list = (key: string): Fields[] => {
    const value = root[key] ?? [];
    if (!Array.isArray(value) || !value.every(isObject))
      throw new FragmentError(`${key}: expected a list of maps.`);
    return value;
  };
  const alertChannels = root.alertChannels ?? {};
  if (!isObject(alertChannels)) throw new FragmentError("alertChannels: expected a map of channels by name.");
  return {
    project: root.project,
    alertChannels,
    ...(Object.fromEntries(LISTS.map((key) => [key, list(key)])) as Record<(typeof LISTS)[number], Fields[]>),
  };
}

function parsed(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: ALIASES_MAX, uniqueKeys: true, logLevel: "error" });
  } catch (error) {
    if (error instanceof YAMLError) throw new FragmentError(`It is no valid YAML: ${error.message}`);
    if (error instanceof RangeError) throw new FragmentError("It is nested too deeply.");
    // The parser refuses too many aliases with an error of no type of its own.
    if (error instanceof ReferenceError) throw new FragmentError(`It is no valid YAML: ${error.message}`);
    throw error;
  }
}

interface Existing {
  project: unknown;
  /** Whole entries, by name: what `defaults` said of them is filled in. */
  monitors: Map<string, Fields>;
  channels: Fields;
}

function existingIn(text: string): Existing {
  const { project, defaults = {}, monitors = [], alertChannels = {} } = parse(text) as Record<string, never>;
  const whole = (monitors as Fields[]).map(({ name, type, ...fields }) => ({
    name,
    type,
    ...(defaults as Fields),
    ...fields,
  }));
  return {
    project,
    // A name that looks like a placeholder is written with a backslash, which whoever wrote the fragment doesn't know of.
    monitors: new Map(whole.map((entry) => [interpolate(String(entry.name), {}).text, entry])),
    channels: alertChannels,
  };
}

function completed(entry: Fields, existing: Fields): Fields {
  const { name, type, alerts: _, ...changed } = entry;
  const isRenamed = entry.renamedFrom !== undefined;
  if (type !== undefined && type !== existing.type)
    throw new FragmentError(
      `monitors: ${String(name)} exists as a monitor of type ${String(existing.type)}; its type can't change.`,
    );
  // A script lies in a file beside the config, which a fragment doesn't have.
  const script = checkTypes.find(String(existing.type))?.scriptField;
  if (script !== undefined && script in changed && changed[script] !== existing[script])
    throw new FragmentError(`monitors: the ${script} of ${String(name)} can't be changed by a fragment.`);
  const alerts = [...alertsOf(existing)];
  for (const alert of alertsOf(entry)) {
    const same = alerts.findIndex((one) => alert.name !== undefined && one.name === alert.name);
    if (same >= 0) alerts[same] = alert;
    else alerts.push(alert);
  }
  return { ...existing, ...(isRenamed && { name }), ...changed, ...(alerts.length > 0 && { alerts }) };
}

function alertsOf({ alerts }: Fields): Fields[] {
  return Array.isArray(alerts) ? alerts.filter(isObject) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isEmpty(part: unknown): boolean {
  return part === undefined || (typeof part === "object" && part !== null && Object.keys(part).length === 0);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
