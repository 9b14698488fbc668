/** Turns a draft into records that a config can describe: names are unique, limits are kept, and every reference leads somewhere. */
import {
  type Channel,
  type Check,
  type CheckType,
  type Condition,
  channelConfigSchema,
  channelTypes,
  checkTypes,
  conditionSchema,
  counted,
  FREQUENCY_SECONDS_MAX,
  FREQUENCY_SECONDS_MIN,
  firstCharacters,
  listed,
  PUSH_LOCATION_ID,
  pathText,
  pushedTraitsOf,
  refuseCondition,
  retrySchema,
  withoutLineBreaks,
} from "@svc/contract";
import type { DescribedRecords, ListedAlertRule } from "../records.ts";
import { type DraftAlert, type DraftMonitor, type ImportDraft, withoutCredentials } from "./draft.ts";
import { fitConfig } from "./fit-config.ts";
import { Item } from "./item.ts";
import { labelsOf } from "./labels.ts";
import { locationOfRegion } from "./regions.ts";

/** Choices of whoever imports. */
export interface ImportChoices {
  /** Locations of monitors whose own have no counterpart. */
  locations: readonly string[];
}

/** Fields of records that no config shows. */
const UNSEEN = { createdAt: "1970-01-01T00:00:00.000Z", updatedAt: null };

/** Seconds between two runs where the other tool's export says nothing. */
const FREQUENCY_SECONDS_DEFAULT = 300;

/** Returns the records. Adds a note to the draft for all that is changed or left out on the way. */
export function recordsOf(draft: ImportDraft, choices: ImportChoices): DescribedRecords {
  const channels = channelsOf(draft);
  const names = new Set<string>();
  const labels: Record<string, string[]> = {};
  const checks: Check[] = [];
  const alerts: ListedAlertRule[] = [];
  const withoutRegions: DraftMonitor[] = [];
  for (const monitor of draft.monitors) {
    const fitted = fittedCheck(monitor, draft);
    if (!fitted) continue;
    const isPushed = pushedTraitsOf(fitted.type) !== undefined;
    if (isPushed) draft.changed(monitor.item, PUSHED, monitor.name);
    else if ((monitor.regions ?? []).length === 0) withoutRegions.push(monitor);
    const id = `chk_import_${checks.length}`;
    const name = uniqueName(monitor, names, draft);
    checks.push({
      ...UNSEEN,
      ...fitted,
      id,
      teamId: "",
      name,
      // A config says neither of a monitor that reports by itself.
      frequencySeconds: isPushed ? FREQUENCY_SECONDS_DEFAULT : frequencyOf(monitor, draft),
      locations: isPushed ? [PUSH_LOCATION_ID] : locationsOf(monitor, { draft, choices }),
      enabled: monitor.enabled ?? true,
      retry: retryOf(monitor, draft),
    } as unknown as Check);
    labels[id] = monitorLabels(monitor, draft);
    for (const alert of monitor.alerts ?? []) {
      const rule = ruleOf(alert, { monitor, check: fitted, channels, draft });
      if (rule)
        alerts.push({
          ...rule,
          id: `alert_${String(alerts.length).padStart(9, "0")}`,
          checkId: id,
        } as unknown as ListedAlertRule);
    }
  }
  noteWithoutRegions(withoutRegions, { draft, choices });
  return {
    checks,
    labels,
    alerts,
    channels: [...channels.values()],
    patterns: [],
    slos: [],
    policies: [],
    rotas: [],
    incidentPolicy: null,
    statusPages: [],
    windows: [],
  };
}

/** Says what whoever moves a heartbeat has to do. */
const PUSHED = "jobs report to another URL, which the monitor gets at the deploy: change it in the jobs";

type FittedCheck = Pick<Check, "type" | "configJson">;

function fittedCheck(
  { item, name, type, config }: DraftMonitor,
  draft: ImportDraft,
): FittedCheck | undefined {
  const known = checkTypes.find(type);
  if (!known) {
    draft.missingMonitor(item, name, `svc has no checks of type ${type}`);
    return undefined;
  }
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
  const fitted = fitConfig(
    known.configSchema,
    { ...known.monitorConstants, ...given },
    {
      isRemovable: ([field]) => REMOVABLE.has(String(field)),
      isDroppable: (field) => DROPPABLE.has(field),
      note: (_path, message) => draft.changed(item, message, name),
    },
  );
  if ("problem" in fitted) {
    draft.missingMonitor(item, name, fitted.problem);
    return undefined;
  }
  for (const { path, message } of idleSettingsOf(known, fitted.value)) {
    removeAt(fitted.value, path);
    draft.changed(item, `${pathText(path).replace(/^\./, "")}: ${message}; it is left out`, name);
  }
  if (!known.configSchema.safeParse(fitted.value).success) {
    draft.missingMonitor(item, name, "it does not fit without what is left out");
    return undefined;
  }
  return { type: type as CheckType, configJson: fitted.value };
}

function idleSettingsOf(
  type: { idleSettings?(config: never): readonly { path: readonly (string | number)[]; message: string }[] },
  config: Readonly<Record<string, unknown>>,
) {
  return type.idleSettings?.(config as never) ?? [];
}

/** Removes the field at a path. */
function removeAt(value: object, path: readonly (string | number)[]): void {
  let holder: unknown = value;
  for (const step of path.slice(0, -1)) holder = (holder as Record<string | number, unknown>)[step];
  delete (holder as Record<string | number, unknown>)[path.at(-1) ?? ""];
}

/** Fields with parts of which each has a meaning of its own. */
const REMOVABLE: ReadonlySet<string> = new Set(["assertions", "headers"]);

/** Fields without which a monitor still watches its target. */
const DROPPABLE: ReadonlySet<string> = new Set(["expectContains", "expectEquals", "expectMatches"]);

const NAME_CHARACTERS_MAX = 255;

function uniqueName(monitor: DraftMonitor, names: Set<string>, draft: ImportDraft): string {
  const wished = [monitor.name, monitor.longName ?? monitor.name].map(
    (name) => shownName(name, NAME_CHARACTERS_MAX) || monitor.type,
  );
  let name = wished.find((one) => !names.has(one));
  for (let i = 2; name === undefined; i++) {
    const numbered = `${firstCharacters(wished[0] as string, NAME_CHARACTERS_MAX - 10)} (${i})`;
    if (!names.has(numbered)) name = numbered;
  }
  names.add(name);
  if (name !== monitor.name)
    draft.changed(
      monitor.item,
      `its name is "${name}" now, since names are unique and have limits`,
      monitor.name,
    );
  return name;
}

/** Returns a name as anyone may see it: on one line, and without the credentials of URLs in it. */
function shownName(text: string, charactersMax: number): string {
  return firstCharacters(withoutCredentials(withoutLineBreaks(text)), charactersMax).toWellFormed();
}

function frequencyOf({ item, name, frequencySeconds }: DraftMonitor, draft: ImportDraft): number {
  if (frequencySeconds === undefined || !Number.isFinite(frequencySeconds)) {
    draft.changed(item, `the export names no frequency; it is ${FREQUENCY_SECONDS_DEFAULT} s now`, name);
    return FREQUENCY_SECONDS_DEFAULT;
  }
  const whole = Math.min(
    FREQUENCY_SECONDS_MAX,
    Math.max(FREQUENCY_SECONDS_MIN, Math.round(frequencySeconds)),
  );
  if (whole !== frequencySeconds)
    draft.changed(
      item,
      `the frequency is ${frequencySeconds} s; ${whole} s now (whole seconds from ${FREQUENCY_SECONDS_MIN} to ${FREQUENCY_SECONDS_MAX})`,
      name,
    );
  return whole;
}

/** Says that nothing is asked for while importing. */
const LOOKED_UP_LATER = "svc deploy checks that there is such a location";

function locationsOf(
  { item, name, regions = [] }: DraftMonitor,
  { draft, choices }: { draft: ImportDraft; choices: ImportChoices },
): string[] {
  const found = new Set<string>();
  const unknown: string[] = [];
  for (const region of regions) {
    const location = locationOfRegion(region);
    if (location === undefined) unknown.push(region);
    else found.add(location);
  }
  if (unknown.length > 0)
    draft.partLeftOut(item, `no location of svc is certainly that of ${listed(unknown)}`, name);
  if (found.size > 0) return [...found];
  if (regions.length > 0)
    draft.changed(item, `runs at ${listed([...choices.locations])} (--location; ${LOOKED_UP_LATER})`, name);
  return [...choices.locations];
}

/** Notes once where monitors run whose export names no location at all. */
function noteWithoutRegions(
  without: readonly DraftMonitor[],
  { draft, choices }: { draft: ImportDraft; choices: ImportChoices },
): void {
  const [first] = without;
  if (!first) return;
  const root = new Item(undefined, { file: first.item.origin.file, path: "" });
  const count = counted(without.length, "monitor");
  draft.changed(
    root,
    `${count} without a location of its own: at ${listed([...choices.locations])} now (--location; ${LOOKED_UP_LATER})`,
  );
}

function retryOf({ item, name, retry }: DraftMonitor, draft: ImportDraft): Check["retry"] {
  if (!retry) return null;
  const fitted = fitConfig(retrySchema, retry, {
    isRemovable: () => false,
    note: (_path, message) => draft.changed(item, `retry: ${message}`, name),
  });
  if ("value" in fitted) return retrySchema.parse(fitted.value);
  draft.partLeftOut(item, `retry: ${fitted.problem}`, name);
  return null;
}

function monitorLabels({ item, name, labels: tags = [] }: DraftMonitor, draft: ImportDraft): string[] {
  const { labels, respelled, left } = labelsOf(tags.map(withoutCredentials));
  if (respelled.length > 0)
    draft.changed(item, `tags are spelled as labels have to be: ${listed(respelled)}`, name);
  if (left.length > 0) draft.partLeftOut(item, `tags that no label can be: ${listed(left)}`, name);
  return labels;
}

function ruleOf(
  alert: DraftAlert,
  {
    monitor,
    check,
    channels,
    draft,
  }: {
    monitor: DraftMonitor;
    check: FittedCheck;
    channels: ReadonlyMap<string, Channel>;
    draft: ImportDraft;
  },
):
  | Pick<ListedAlertRule, "name" | "enabled" | "conditions" | "channelIds" | "confirm" | "recovery">
  | undefined {
  const refuse = (reason: string) => {
    draft.partLeftOut(alert.item, `alert rule: ${reason}`, monitor.name);
    return undefined;
  };
  const channelIds = [...new Set(alert.channels.flatMap((key) => channels.get(key)?.id ?? []))].slice(0, 50);
  if (channelIds.length === 0) return refuse("no channel that it notifies was carried over");
  const conditions: Condition[] = [];
  for (const condition of alert.conditions) {
    const fitted = fitConfig(conditionSchema, condition, {
      isRemovable: () => false,
      note: (_path, message) => draft.changed(alert.item, `alert rule: ${message}`, monitor.name),
    });
    if ("problem" in fitted) return refuse(fitted.problem);
    const parsed = conditionSchema.parse(fitted.value);
    const reason = refuseCondition(parsed, { type: check.type, config: check.configJson });
    if (reason !== undefined) return refuse(reason);
    conditions.push(parsed);
  }
  const successes = Math.min(100, Math.max(1, Math.round(alert.recovery?.consecutiveSuccesses ?? 1)));
  return {
    name: alert.name === undefined ? null : shownName(alert.name, NAME_CHARACTERS_MAX) || null,
    enabled: true,
    conditions,
    channelIds,
    confirm: false,
    recovery: { consecutiveSuccesses: successes },
  } as ReturnType<typeof ruleOf>;
}

/** Fits a channel whose variables are stood in for: by a URL, or where only a token may stand by a text without the signs of one. */
function fitWithStandIns(
  fields: Record<string, unknown>,
  fit: (fields: Record<string, unknown>) => ReturnType<typeof fitConfig>,
): ReturnType<typeof fitConfig> {
  const fitted = fit(fields);
  if ("value" in fitted) return fitted;
  const plain = mapTexts(fields, (text) => text.replace(/^https:\/\/(\w+\.variable\.invalid)$/, "$1"));
  const refitted = fit(plain);
  return "value" in refitted
    ? { value: mapTexts(refitted.value, (text) => text.replace(/^\w+\.variable\.invalid$/, "https://$&")) }
    : fitted;
}

function mapTexts(fields: Record<string, unknown>, map: (text: string) => string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, typeof value === "string" ? map(value) : value]),
  );
}

const CHANNEL_NAME_CHARACTERS_MAX = 100;

/** Returns the channels that fit, by the other tool's key. */
function channelsOf(draft: ImportDraft): Map<string, Channel> {
  const channels = new Map<string, Channel>();
  const names = new Set<string>();
  for (const [key, { item, name, config }] of draft.channels) {
    if (!channelTypes.find(String(config.type))) {
      draft.leftOut(item, `channel "${name}": svc has no channels of type ${String(config.type)}`);
      continue;
    }
    const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
    const fitted = fitWithStandIns(given, (fields) =>
      fitConfig(channelConfigSchema, fields, {
        isRemovable: ([field]) => field === "headers" || field === "addresses",
        note: (_path, message) => draft.changed(item, `channel "${name}": ${message}`),
      }),
    );
    if ("problem" in fitted) {
      draft.leftOut(item, `channel "${name}": ${fitted.problem}`);
      continue;
    }
    const base = shownName(name, CHANNEL_NAME_CHARACTERS_MAX - 10) || "channel";
    let unique = base;
    for (let i = 2; names.has(unique); i++) unique = `${base} (${i})`;
    names.add(unique);
    channels.set(key, {
      ...UNSEEN,
      id: `nch_import_${channels.size}`,
      name: unique,
      type: config.type,
      config: fitted.value,
    } as unknown as Channel);
  }
  return channels;
}
