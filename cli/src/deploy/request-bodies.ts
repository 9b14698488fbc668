/** Builds the bodies of a deploy's requests from what the config describes. */

import type {
  DesiredAlert,
  DesiredChannel,
  DesiredMonitor,
  DesiredSlo,
  DesiredStatusPage,
  DesiredWindow,
} from "@svc/as-code/config";
import {
  checkTypes,
  type NewCheck,
  type UpdateChannel,
  type UpdateCheck,
  type UpdateSlo,
} from "@svc/contract";

/** Returns the body that updates a channel. */
export function channelUpdate({ config, incident }: DesiredChannel): UpdateChannel {
  return { channel: config, ...incident };
}

/** True when a new channel gets incident events in another way than by default, which its creation can't say. */
export function hasOwnIncidentSettings(channel: DesiredChannel | undefined): boolean {
  const { incidentTemplate = null, incidentSubscribed = true } = channel?.incident ?? {};
  return incidentTemplate !== null || !incidentSubscribed;
}

/** Returns the body that creates a monitor. */
export function newCheck(monitor: DesiredMonitor): NewCheck {
  const { name, type, enabled, frequencySeconds, locations, retry, config } = monitor;
  const { configKey } = checkTypes.get(type);
  const body = { name, type, enabled, frequencySeconds, locations, retry, [configKey]: config };
  // `config` was parsed by the schema of its type.
  return body as object as NewCheck;
}

/** Returns the body that updates a monitor. */
export function checkUpdate(monitor: DesiredMonitor): UpdateCheck {
  const { name, enabled, frequencySeconds, locations, retry, config } = monitor;
  return { name, enabled, frequencySeconds, locations, retry, configJson: config };
}

/** Returns the body that creates or updates an alert rule. */
export function alertBody({ channels: _channels, ...rule }: DesiredAlert, channelIds: string[]) {
  return { ...rule, channelIds };
}

/** Returns the body that creates or updates an SLO. */
export function sloBody(
  { monitor: _monitor, pattern: _pattern, channels: _channels, ...slo }: DesiredSlo,
  references: {
    channelIds: string[];
  } & ({ sloType: "check"; checkId: string } | { sloType: "third_party"; patternId: string }),
) {
  return { ...slo, ...references } satisfies UpdateSlo;
}

/** @param idOfMonitor returns the id of the check that stands for a monitor */
export function statusPageBody(
  { components, ...page }: DesiredStatusPage,
  idOfMonitor: (name: string) => string,
) {
  return {
    ...page,
    components: components.map(({ monitor, ...component }) => ({
      ...component,
      ...(monitor === undefined ? {} : { checkId: idOfMonitor(monitor) }),
    })),
  };
}

/** @param idOfMonitor returns the id of the check that stands for a monitor */
export function windowBody({ monitors, ...window }: DesiredWindow, idOfMonitor: (name: string) => string) {
  return { ...window, checkIds: monitors === "all" ? ("all" as const) : monitors.map(idOfMonitor) };
}
