/** Lays a pulled config out in files: paths relative to the folder of the config, and texts. Pure. */
import { cleanJson } from "@svc/contract";
import type { PulledConfig } from "./describe.ts";
import { CONFIG_FOLDER, type ConfigFormat } from "./layout.ts";
import type { Unmanaged } from "./records.ts";
import { yamlText } from "./yaml-text.ts";

const SLUG_CHARACTERS_MAX = 80;
/** Names that Windows keeps for devices, whatever follows a dot: a repository with such a file can't be checked out there. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** The config to lay out, and the resources that the config could not describe. */
export interface PulledFiles {
  project: string;
  config: PulledConfig;
  unmanaged: readonly Unmanaged[];
  /** First line of the config file, with its line break. */
  schemaLine: string;
}

/**
 * Returns the files, text by path.
 * @param fileName name of the config in the single-file layout
 */
export function filesOf(
  format: ConfigFormat,
  fileName: string,
  { project, config, unmanaged, schemaLine }: PulledFiles,
): Map<string, string> {
  const {
    defaults,
    alertChannels,
    thirdPartyPatterns,
    slos,
    alertPolicies,
    rotas,
    incidentPolicy,
    statusPages,
    maintenanceWindows,
  } = config;
  const files = new Map<string, string>();
  const folder = format === "file" ? "" : `${CONFIG_FOLDER}/`;
  const slugOf = slugs();
  const monitors = config.monitors.map(({ name, fields, script }) => {
    const slug = slugOf(name);
    if (script === undefined) return { slug, fields };
    files.set(`${folder}monitors/${slug}.ts`, script.text);
    const { name: written, type, ...rest } = fields;
    const path = format === "file" ? `./monitors/${slug}.ts` : `./${slug}.ts`;
    return { slug, fields: { name: written, type, [script.field]: path, ...rest } };
  });
  const head = { project, ...filled("defaults", defaults) };
  const channels = filled("alertChannels", alertChannels);
  const sloList = { ...filled("thirdPartyPatterns", thirdPartyPatterns), ...filled("slos", slos) };
  const policies = filled("alertPolicies", alertPolicies);
  const duty = { ...filled("rotas", rotas), ...filled("incidentPolicy", incidentPolicy) };
  const pages = filled("statusPages", statusPages);
  if (format === "file") {
    const document = {
      ...head,
      ...channels,
      monitors: monitors.map(({ fields }) => fields),
      ...sloList,
      ...policies,
      ...duty,
      ...pages,
      ...filled("maintenanceWindows", maintenanceWindows),
    };
    files.set(fileName, schemaLine + commentOf(unmanaged) + yamlText(document));
    return files;
  }
  files.set(`${folder}project.yaml`, commentOf(unmanaged) + yamlText(head));
  if ("alertChannels" in channels) files.set(`${folder}channels.yaml`, yamlText(channels));
  if (Object.keys(sloList).length > 0) files.set(`${folder}slos.yaml`, yamlText(sloList));
  if ("alertPolicies" in policies) files.set(`${folder}alert-policies.yaml`, yamlText(policies));
  if (Object.keys(duty).length > 0) files.set(`${folder}on-duty.yaml`, yamlText(duty));
  if ("statusPages" in pages) files.set(`${folder}status-pages.yaml`, yamlText(pages));
  for (const { slug, fields } of monitors)
    files.set(`${folder}monitors/${slug}.yaml`, yamlText({ monitors: [fields] }));
  return files;
}

/**
 * Returns a function that gives file names: lowercase, hyphens for all but letters and digits, a number where two would
 * be equal.
 */
function slugs(): (name: string) => string {
  const usedSlugs = new Set<string>();
  return (name) => {
    const wanted =
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .slice(0, SLUG_CHARACTERS_MAX)
        .replace(/^-|-$/g, "") || "monitor";
    let slug = DEVICE_NAME.test(wanted) ? `${wanted}-1` : wanted;
    for (let i = 2; usedSlugs.has(slug); i++) slug = `${wanted}-${i}`;
    usedSlugs.add(slug);
    return slug;
  };
}

/** Lists unmanaged resources in comments. Names are quoted as JSON, so that nothing in one ends the comment. */
function commentOf(unmanaged: readonly Unmanaged[]): string {
  return unmanaged
    .map(
      ({ name, id, reason }) =>
        `# Not written: ${cleanJson(name)} (${id}), ${cleanJson(reason).slice(1, -1)}\n`,
    )
    .join("");
}

function filled(key: string, value: object): Record<string, unknown> {
  return Object.keys(value).length > 0 ? { [key]: value } : {};
}
