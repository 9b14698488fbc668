/** The text that a start prints for the person at the terminal: where the service is, how to sign in, what to do next. */
import type { Config } from "../../platform/config.ts";
import type { FirstBoot } from "../first-boot.ts";

/** Returns the lines to print once everything runs. */
export function welcome(
  config: Config,
  { httpUrl, runnerUrl }: { httpUrl: string; runnerUrl: string },
  firstBoot?: FirstBoot,
): string {
  const url = config.publicUrl ?? httpUrl;
  return [
    "",
    `svc is ready: ${url}`,
    `  dashboard       ${url}/`,
    `  API reference   ${url}/docs`,
    `  runner agents   connect to ${runnerUrl}`,
    "",
    ...(firstBoot ? firstSteps(config, url, firstBoot) : laterSteps()),
    "",
    "Ctrl+C ends it.",
  ].join("\n");
}

function firstSteps(config: Config, url: string, firstBoot: FirstBoot): string[] {
  const { email, signInLink, hasExampleCheck } = firstBoot;
  const lines = [
    "First start: made the team, its owner's account and the hosted locations.",
    ...(signInLink
      ? [`  sign in once    ${signInLink} (within 24 hours; its page lets you choose a password)`]
      : []),
    `  account         ${email}`,
  ];
  if (hasExampleCheck) lines.push("  example check   watches this service's own /healthz every 60 s");
  lines.push("", "What next: create a check and read its results.");
  if (config.bootstrapApiKey) lines.push('  key="$SVC_BOOTSTRAP_API_KEY"');
  else
    lines.push(
      "Sign in by the link, then make a key for the terminal:",
      `  npx svc login --api-url ${url}`,
      "or, for a key without a browser:",
      `  key=$(npx svc-control-plane api-keys create --team ${firstBoot.teamId} | grep -o 'sk_[0-9a-f]\\{64\\}')`,
    );
  return [...lines, ...createCheck(url)];
}

function createCheck(url: string): string[] {
  return [
    `  curl -s ${url}/api/checks -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{`,
    `    "name": "Home page", "type": "http", "frequencySeconds": 60, "locations": ["loc_us_east"],`,
    `    "httpConfig": { "url": "https://example.com/", "assertions": [{ "type": "status_code", "value": 200 }] } }'`,
    `  curl -s ${url}/api/checks -H "Authorization: Bearer $key"`,
  ];
}

function laterSteps(): string[] {
  return [
    "To sign in, let this print a one-time link: npx svc-control-plane sign-in-link --email <owner's email>",
  ];
}
