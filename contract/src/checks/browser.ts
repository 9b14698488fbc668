import * as z from "zod";
import { assertionSchema } from "../assertions/registry.ts";
import { httpUrlSchema, personaIdSchema, uniqueItems } from "../base/fields.ts";
import { nearestName } from "../base/nearest.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { browserDetailFields } from "./browser-detail.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { DEVICE_NAMES } from "./devices.ts";
import { certificateFields, certificateWithKey, hostSchema } from "./host-fields.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";
import { SCRIPT_BROWSER_PAGES } from "./run-cost.ts";

const timeoutMsSchema = z.int().min(5000, "smallest is 5000").max(120_000, "largest is 120000");

const commonFields = {
  timeoutMs: timeoutMsSchema.default(30_000),
  viewport: closedObject({
    width: z.int().min(1).max(7680).default(1280),
    height: z.int().min(1).max(4320).default(720),
  }).default({ width: 1280, height: 720 }),
  device: z
    .string()
    // A longer text is refused before a device of its name is looked for.
    .max(100, { error: "a device's name has at most 100 characters", abort: true })
    .superRefine(knownDevice)
    .optional()
    .describe(
      "Name of a device to emulate, as Playwright has them: its user agent, touch, scale and, unless viewport differs from its default, its viewport.",
    ),
  screenshotMode: z.enum(["every_step", "failure_only", "disabled"]).default("every_step"),
  videoEnabled: z.boolean().default(false),
  agentPersona: personaIdSchema.optional(),
  agentView: z.boolean().default(false),
  ...certificateFields,
  // A page loads from many hosts, most of which have certificates of public authorities.
  caCertificates: certificateFields.caCertificates.describe(
    "Authorities that are trusted beside the public ones: one or more certificates in PEM.",
  ),
  clientCertificateHosts: z
    .array(hostSchema)
    .min(1, "at least one host")
    .max(20, "at most 20 hosts")
    .superRefine(uniqueItems)
    .optional()
    .describe(
      "Hosts that clientCertificate is shown to. In url mode that of the URL is one of them; a script has to name them.",
    ),
  ...proxyFields,
};

function knownDevice(name: string, context: z.RefinementCtx): void {
  if ((DEVICE_NAMES as readonly string[]).includes(name)) return;
  const nearest = nearestName(name, DEVICE_NAMES);
  const hint = nearest ? `; did you mean "${nearest}"?` : "";
  context.addIssue({ code: "custom", message: `unknown device "${name}"${hint}` });
}

/** Adds an issue for a client certificate that would be shown to nobody, and for hosts without a certificate. */
function certificateWithHosts(
  config: {
    browserMode: "scripted" | "url";
    clientCertificate?: string | undefined;
    clientCertificateHosts?: string[] | undefined;
  },
  context: z.RefinementCtx,
): void {
  const { browserMode, clientCertificate, clientCertificateHosts } = config;
  const refuse = (field: keyof typeof config, message: string) =>
    context.addIssue({ code: "custom", path: [field], message });
  if (clientCertificate === undefined && clientCertificateHosts !== undefined)
    refuse("clientCertificate", "required with clientCertificateHosts");
  if (clientCertificate !== undefined && clientCertificateHosts === undefined && browserMode === "scripted")
    refuse("clientCertificateHosts", "required with clientCertificate: a script may go anywhere");
}

/** Limits and assertions of a step that the script marks with `// @step: Name`. */
const stepSchema = closedObject({
  name: z.string().min(1).max(255),
  timeoutMs: z.int().min(1).max(120_000).optional(),
  assertions: z.array(assertionSchema).max(100).optional(),
});

/** Configuration of a check of type browser. */
export const browserConfigSchema = z
  .discriminatedUnion("browserMode", [
    closedObject({
      browserMode: z.literal("scripted"),
      script: z
        .string()
        .min(1, "the script is empty")
        .max(512 * 1024, "a script has at most 524288 characters"),
      steps: z.array(stepSchema).max(100).optional(),
      ...commonFields,
    }),
    closedObject({ browserMode: z.literal("url"), url: httpUrlSchema, ...commonFields }),
  ])
  .superRefine(certificateWithKey)
  .superRefine(certificateWithHosts)
  .superRefine(proxyWithCredentials)
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);
/** Configuration of a browser check, defaults filled in; `browserMode` distinguishes pages and scripts. */
export type BrowserConfig = z.infer<typeof browserConfigSchema>;

/** A monitor is always scripted; in svc.config.yaml `script` is the path of a file. */
const {
  browserMode: _browserMode,
  script: _script,
  ...scriptedFields
} = browserConfigSchema.options[0].shape;

/** A page in a real browser: a script, or a single URL. */
export const browserCheck = defineCheckType({
  type: "browser",
  title: "Browser",
  summary: "a page in a real browser: a script, or a single URL",
  configKey: "browserConfig",
  configSchema: browserConfigSchema,
  monitorFields: {
    script: z
      .string()
      .min(1, "the path of the script file")
      .describe("Path of the script file, relative to this file."),
    ...withoutDefaults(scriptedFields),
  },
  monitorHints: {
    url: "a browser monitor is deployed from a script; those of a single URL are made in the dashboard or by the API",
  },
  inheritedFields: ["timeoutMs", "viewport", "screenshotMode", "videoEnabled", "device"],
  scriptField: "script",
  monitorConstants: { browserMode: "scripted" },
  targetField: "url",
  secretFields: { url: "url", script: "content", clientKey: "credential", proxyPassword: "credential" },
  secretDestinations: {
    url: ["url", "proxyUrl"],
    script: ["proxyUrl"],
    clientKey: ["url", "clientCertificateHosts", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "URL to watch: ",
    fields: () => ({}),
    script: starterScript,
  },
  canRunLocally: false,
  overheadMs: 20_000,
  runCostsBy: {
    field: "browserMode",
    costs: {
      url: { seconds: 5, browserPages: 1, sharesBrowser: true },
      scripted: { seconds: 15, browserPages: SCRIPT_BROWSER_PAGES },
    },
  },
  keepsArtifacts: true,
  listsRequests: true,
  observes: ["web_vitals"],
  detailFields: browserDetailFields,
});

function starterScript(url: string): string {
  return `import { expect, test } from "@playwright/test";

test("home page", async ({ page }) => {
  // @step: Open the page
  await page.goto(${JSON.stringify(url)});
  await expect(page).toHaveTitle(/./);
});
`;
}
