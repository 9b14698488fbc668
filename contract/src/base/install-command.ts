/**
 * Builds the commands that start an agent, to be pasted where it shall run. Pure. The command line prints them, the dashboard
 * shows them.
 */

/** Ways to start an agent that commands can be printed for. */
export const INSTALL_METHODS = ["npx", "docker", "systemd"] as const;
/** Way to start an agent. */
export type InstallMethod = (typeof INSTALL_METHODS)[number];

/** The image of Node.js in which a container installs the agent; that of deploy/container. */
const NODE_IMAGE = "docker.io/library/node:24-bookworm-slim";

/** Port at which runners connect unless the operator chose another one. */
const RUNNER_PORT_DEFAULT = 8081;

/** Returns the default address for agents: the host of the REST API, with the runner port. */
export function defaultRunnerUrl(apiUrl: string, runnerPort: number = RUNNER_PORT_DEFAULT): string {
  const url = new URL(apiUrl);
  return `${url.protocol}//${url.hostname}:${runnerPort}`;
}

/**
 * Returns the origin of an address that is nothing but an origin, else undefined. Strict, because a URL's host may hold
 * characters that a shell acts on.
 */
export function runnerOrigin(text: string): string | undefined {
  return /^https?:\/\/([a-z\d._-]+|\[[\da-f:.]+\])(:\d{1,5})?\/?$/i.test(text) && URL.canParse(text)
    ? new URL(text).origin
    : undefined;
}

/** Address of the agent's package, as a service names it: nothing in it that a shell acts on. */
const PACKAGE_PATH = /^\/install\/[a-z0-9.-]+\.tgz$/;

/** An agent to be started: where it connects, with which key, and where its package is. */
export interface Installation {
  /** An origin that {@link runnerOrigin} returned. */
  runnerUrl: string;
  key: string;
  /** URL that {@link agentPackageUrl} returned; undefined: the agent is installed already. */
  packageUrl?: string | undefined;
}

/**
 * Returns where the service's package of the agent is.
 * @param apiUrl URL of the REST API
 * @param path what the service's `agentPackage` says
 * @returns undefined where the service has none, or the address is not one that may stand in a command
 */
export function agentPackageUrl(apiUrl: string, path: string | null | undefined): string | undefined {
  const origin = runnerOrigin(URL.canParse(apiUrl) ? new URL(apiUrl).origin : "");
  return origin !== undefined && path && PACKAGE_PATH.test(path) ? origin + path : undefined;
}

/**
 * Returns the command. With a package it needs nothing on the machine but Node and npm, or a container engine; without one
 * the agent has to be there: the command in a checkout, the image that was built, the unit.
 */
export function installText(method: InstallMethod, installation: Installation): string {
  return TEXTS[method](installation);
}

const TEXTS: Record<InstallMethod, (installation: Installation) => string> = {
  // --no-install: a package of that name that somebody else published would get the key.
  npx: ({ key, runnerUrl, packageUrl }) =>
    `SVC_RUNNER_KEY=${key} SVC_CONTROL_PLANE_URL=${runnerUrl} npx ${packageUrl ? `--yes ${packageUrl}` : "--no-install svc-runner"}`,
  docker: ({ key, runnerUrl, packageUrl }) =>
    [
      "docker run -d --name svc-runner --restart unless-stopped --stop-timeout 35 \\",
      "  --read-only --cap-drop ALL --security-opt no-new-privileges \\",
      ...(packageUrl
        ? [
            // A new volume gets the owner of the image's folder.
            "  --tmpfs /tmp --user node -v svc-runner:/home/node -p 127.0.0.1:8082:8082 \\",
            "  -e SVC_RUNNER_DATA_DIR=/home/node/data -e SVC_RUNNER_HEALTH_HOST=0.0.0.0 \\",
            `  -e SVC_RUNNER_KEY=${key} -e SVC_CONTROL_PLANE_URL=${runnerUrl} \\`,
            `  ${NODE_IMAGE} sh -c '${installAndRun(packageUrl)}'`,
          ]
        : [
            "  -v svc-runner:/var/lib/svc-runner -p 127.0.0.1:8082:8082 \\",
            `  -e SVC_RUNNER_KEY=${key} -e SVC_CONTROL_PLANE_URL=${runnerUrl} svc-runner`,
          ]),
    ].join("\n"),
  systemd: ({ key, runnerUrl, packageUrl }) =>
    [
      ...(packageUrl
        ? [
            `npm install --global --ignore-scripts ${packageUrl}`,
            'install -m 0644 "$(npm root --global)/@svc/runner-agent/systemd/svc-runner.service" /etc/systemd/system/',
          ]
        : []),
      "install -d -m 0700 /etc/svc-runner && (umask 077 && cat > /etc/svc-runner/env) <<'END'",
      `SVC_RUNNER_KEY=${key}`,
      `SVC_CONTROL_PLANE_URL=${runnerUrl}`,
      "END",
      `${packageUrl ? "systemctl daemon-reload && " : ""}systemctl enable --now svc-runner`,
    ].join("\n"),
};

/**
 * Returns what a container's shell does: installs the agent once, and becomes it, so that signals reach it. A start after that
 * needs no service and no network.
 */
function installAndRun(packageUrl: string): string {
  const folder = packageUrl.slice(packageUrl.lastIndexOf("/") + 1, -".tgz".length);
  const program = `./${folder}/node_modules/.bin/svc-runner`;
  const install = `npm install --prefix ${folder} --ignore-scripts ${packageUrl}`;
  return `cd && (test -x ${program} || ${install}) && exec ${program}`;
}
