/**
 * Builds the commands that start an agent, to be pasted where it shall run. Pure. The command line prints them, the dashboard
 * shows them.
 */

/** Ways to start an agent that commands can be printed for. */
export const INSTALL_METHODS = ["npx", "docker", "systemd"] as const;
/** Way to start an agent. */
export type InstallMethod = (typeof INSTALL_METHODS)[number];

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

/**
 * Returns the command.
 * @param options.runnerUrl an origin that {@link runnerOrigin} returned
 */
export function installText(
  method: InstallMethod,
  { runnerUrl, key }: { runnerUrl: string; key: string },
): string {
  switch (method) {
    case "npx":
      // --no-install: a package of that name that somebody else published would get the key.
      return `SVC_RUNNER_KEY=${key} SVC_CONTROL_PLANE_URL=${runnerUrl} npx --no-install svc-runner`;
    case "docker":
      return [
        "docker run -d --name svc-runner --restart unless-stopped --stop-timeout 25 \\",
        "  --read-only --cap-drop ALL --security-opt no-new-privileges \\",
        "  -v svc-runner:/var/lib/svc-runner -p 127.0.0.1:8082:8082 \\",
        `  -e SVC_RUNNER_KEY=${key} -e SVC_CONTROL_PLANE_URL=${runnerUrl} svc-runner`,
      ].join("\n");
    case "systemd":
      return [
        "install -d -m 0700 /etc/svc-runner && (umask 077 && cat > /etc/svc-runner/env) <<'END'",
        `SVC_RUNNER_KEY=${key}`,
        `SVC_CONTROL_PLANE_URL=${runnerUrl}`,
        "END",
        "systemctl enable --now svc-runner",
      ].join("\n");
  }
}
