/**
 * Creates a runner key and prints the command that starts an agent with it: `svc locations install-command`. Each call
 * creates another key.
 */
import {
  agentPackageUrl,
  defaultRunnerUrl,
  INSTALL_METHODS,
  type InstallMethod,
  installText,
  runnerOrigin,
} from "@svc/contract";
import { getPrivateLocation, PRIVATE_LOCATION_ARGUMENT } from "../../resources/locations/get-location.ts";
import { generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";

interface Options {
  method: InstallMethod;
  runnerUrl?: string;
  keyName?: string;
}

/** Sentences about the agent's machine, for services that offer no package of the agent. */
const MISSING: Record<InstallMethod, string> = {
  npx: "It starts the agent of a built checkout of svc, in that folder: the service offers no package (npm run pack).",
  docker: "The image svc-runner has to be built first: the service offers no package (npm run pack).",
  systemd:
    "svc-runner and its unit have to be installed first: the service offers no package (npm run pack).",
};

/** Defines `svc locations install-command`. The printed command holds the new key in clear. */
export const command = defineCommand<Options>({
  summary: "create a runner key and print the command that starts an agent with it",
  answers: async () => (await import("../../answers/locations.ts")).locationsInstallCommand,
  arguments: [PRIVATE_LOCATION_ARGUMENT],
  options: [
    { flags: "--method <method>", description: "how it is to run", choices: INSTALL_METHODS, default: "npx" },
    {
      flags: "--runner-url <url>",
      description: "where agents reach the control plane (default: the API's host, with the service's port)",
      parse: parseRunnerUrl,
    },
    { flags: "--key-name <name>", description: "what the key is called" },
  ],
  examples: [
    "locations install-command office",
    "locations install-command office --method docker --runner-url https://svc.example.com:8081",
  ],
  async run(context, { method, runnerUrl: given, keyName }, [typed]) {
    const api = context.api();
    const apiUrl = context.apiUrl();
    const location = await getPrivateLocation(api, typed as string);
    const meta = await api.getMeta();
    const runnerUrl = given ?? parseRunnerUrl(defaultRunnerUrl(apiUrl, meta.runnerPort));
    const packageUrl = agentPackageUrl(apiUrl, meta.agentPackage);
    const key = await api.createRunnerKey(location.id, keyName === undefined ? {} : { name: keyName });
    const text = installText(method, { runnerUrl, key: key.secret, packageUrl });
    return {
      data: { command: text, method, runnerUrl, keyId: key.id, locationId: location.id },
      print: (out) => {
        out.line(text);
        out.info(`The command holds a new key of ${out.text(location.name)} (${key.id}): keep it secret.`);
        if (!packageUrl) out.info(MISSING[method]);
        out.info(`Then see it connect: svc locations runners ${location.id}`);
      },
    };
  },
});

/** Returns the address as the agent takes it: an origin, nothing after it. */
function parseRunnerUrl(text: string): string {
  const origin = runnerOrigin(text);
  if (origin === undefined) throw generalError(`--runner-url is "${text}"; expected http(s)://host[:port]`);
  return origin;
}
