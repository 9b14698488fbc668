/** Checkly: checks, check groups and alert channels as its API lists them. */
import { entryOf } from "../carry/entry-of.ts";
import { noteParts } from "../carry/parts.ts";
import type { ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import type { Item } from "../item.ts";
import { addChannel, isAlertChannel, rulesOf } from "./checkly/alerts.ts";
import { checkOf } from "./checkly/checks.ts";

/** Checkly's lists of checks, groups and alert channels. */
export const checkly = defineImportSource({
  type: "checkly",
  title: "Checkly",
  expects:
    "the JSON of GET /v1/checks of Checkly, and beside it those of /v1/check-groups and /v1/alert-channels",
  recognises: (root) => [isCheck, isGroup, isAlertChannel].some((is) => everythingIn(root).some(is)),
  convert(roots, draft) {
    const all = roots.flatMap(everythingIn);
    const channels = all.filter(isAlertChannel);
    for (const one of channels) addChannel(one, draft);
    const groups = new Map(all.filter(isGroup).map((group) => [group.get("id").text() ?? "", group]));
    for (const group of groups.values()) readGroup(group, draft);
    for (const check of all.filter(isCheck)) addCheck(check, { draft, groups, channels });
  },
});

/** Lists what stands in a list of the API, or in an object of several such lists. */
function everythingIn(root: Item): Item[] {
  if (Array.isArray(root.value)) return root.items();
  const lists = root.entries().flatMap(([, list]) => list.items());
  return isCheck(root) ? [root] : lists;
}

function isCheck(item: Item): boolean {
  return item.peek("checkType").isGiven();
}

function isGroup(item: Item): boolean {
  return item.peek("apiCheckDefaults").isGiven() && item.peek("name").isGiven();
}

interface Surroundings {
  draft: ImportDraft;
  groups: ReadonlyMap<string, Item>;
  channels: readonly Item[];
}

function addCheck(check: Item, { draft, groups, channels }: Surroundings): void {
  const name = check.get("name").filled() ?? check.get("id").filled() ?? "check";
  const group = groups.get(check.get("groupId").text() ?? "");
  const converted = checkOf(check, { draft, name, group });
  if ("problem" in converted) {
    draft.missingMonitor(check, name, converted.problem);
    return;
  }
  const frequencySeconds = frequencyOf(check);
  const settings = (field: string) => {
    const own = check.get(field);
    const isOwn = Array.isArray(own.value) ? own.value.length > 0 : own.isGiven();
    return isOwn || !group ? own : group.get(field);
  };
  const groupName = group?.get("name").filled();
  draft.monitors.push({
    item: check,
    name,
    longName: groupName === undefined ? undefined : `${groupName}/${name}`,
    ...converted,
    frequencySeconds,
    regions: [...settings("locations").items(), ...settings("privateLocations").items()].flatMap(
      (one) => one.text() ?? [],
    ),
    enabled: check.get("activated").flag() !== false && group?.get("activated").flag() !== false,
    labels: [
      ...(groupName === undefined ? [] : [`group:${groupName}`]),
      ...[...check.get("tags").items(), ...(group?.get("tags").items() ?? [])].flatMap(
        (one) => one.text() ?? [],
      ),
    ],
    retry: retryOf(settings("retryStrategy"), check),
    alerts: rulesOf(check, { draft, name, group, channels, frequencySeconds }),
  });
  noteRest(check, { draft, name, group });
}

/** Returns the frequency: minutes, or for less than one the seconds of the offset. */
function frequencyOf(check: Item): number | undefined {
  const minutes = check.get("frequency").number();
  if (minutes === undefined) return undefined;
  return minutes === 0 ? (check.get("frequencyOffset").number() ?? 10) : minutes * 60;
}

const STRATEGIES: Readonly<Record<string, string>> = {
  FIXED: "fixed",
  LINEAR: "linear",
  EXPONENTIAL: "exponential",
  SINGLE_RETRY: "fixed",
};

function retryOf(strategy: Item, check: Item): Readonly<Record<string, unknown>> | null {
  const type = strategy.get("type").text() ?? "";
  const known = entryOf(STRATEGIES, type);
  if (known === undefined)
    return !strategy.isGiven() && check.get("doubleCheck").flag() === true
      ? { strategy: "fixed", maxRetries: 1, baseBackoffSeconds: 0, maxDurationSeconds: 600 }
      : null;
  const onlyOn = strategy.get("onlyOn");
  const conditions = [onlyOn.text(), ...onlyOn.items().map((one) => one.text())];
  return {
    strategy: known,
    maxRetries: type === "SINGLE_RETRY" ? 1 : (strategy.get("maxRetries").number() ?? 2),
    baseBackoffSeconds: strategy.get("baseBackoffSeconds").number() ?? 0,
    maxDurationSeconds: strategy.get("maxDurationSeconds").number() ?? 600,
    ...(conditions.includes("NETWORK_ERROR") ? { onlyOn: "network_error" } : {}),
  };
}

const NO_SCRIPT_BEFORE = "no script runs before a request";
const NO_SCRIPT_AFTER = "no script runs after a request";

/** Parts of checks and groups that svc has no counterpart of, with the reason. */
const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  localSetupScript: NO_SCRIPT_BEFORE,
  localTearDownScript: NO_SCRIPT_AFTER,
  setupSnippetId: NO_SCRIPT_BEFORE,
  tearDownSnippetId: NO_SCRIPT_AFTER,
  setupScript: NO_SCRIPT_BEFORE,
  tearDownScript: NO_SCRIPT_AFTER,
  triggerIncident: "incidents are made of alerts, for all monitors",
  muted: "a mute is not carried over: its rules notify",
  degradedPacketLossThreshold: "no rule is about packets that are lost; write maxLossPercent",
  environmentVariables: "values of variables are not carried over: set those that the config names",
};

/** Parts that say nothing about what is checked. A run goes to all locations, and at once, here. */
const PASSED_OVER = [
  "id",
  "created_at",
  "updated_at",
  "description",
  "groupOrder",
  "runtimeId",
  "runParallel",
  "concurrency",
  "frequencyOffset",
  "scheduleStrategy",
  "doubleCheck",
  "degradedResponseTime",
  "alertSettings",
  "useGlobalAlertSettings",
  "sslCheckDomain",
];

function noteRest(
  check: Item,
  { draft, name, group }: { draft: ImportDraft; name: string; group: Item | undefined },
): void {
  noteParts(check, WITHOUT_COUNTERPART, { draft, monitor: name });
  if (check.get("muted").flag() !== true && group?.get("muted").flag() === true)
    draft.partLeftOut(check, "a mute is not carried over: its rules notify", name);
  check.skip(...PASSED_OVER);
  check.get("retryStrategy").skip("sameRegion");
}

/** Notes the parts of a group that its checks here have nothing of. */
function readGroup(group: Item, draft: ImportDraft): void {
  const { environmentVariables: _, muted: __, ...reasons } = WITHOUT_COUNTERPART;
  noteParts(group, reasons, { draft, monitor: null });
  group.get("environmentVariables").settle();
  group.get("browserCheckDefaults").settle();
  group.get("retryStrategy").skip("sameRegion");
  group.skip(...PASSED_OVER);
  // Each of its checks reads what it inherits.
  group.skip("activated", "muted", "tags", "locations", "privateLocations", "alertChannelSubscriptions");
  group.get("apiCheckDefaults").skip("url");
}
