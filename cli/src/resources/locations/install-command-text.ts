/** What to paste where the agent shall run. Pure. */

export const INSTALL_METHODS = ["npx", "docker", "systemd"] as const;
export type InstallMethod = (typeof INSTALL_METHODS)[number];

/** Where agents reach the control plane when nobody says: the REST API's host, on the runner port's default. */
export function defaultRunnerUrl(apiUrl: string): string {
  const url = new URL(apiUrl);
  return `${url.protocol}//${url.hostname}:8081`;
}

/** The origin of an address that has nothing besides; undefined for any other. A URL's host may hold what a shell acts on. */
export function runnerOrigin(text: string): string | undefined {
  return /^https?:\/\/([a-z\d._-]+|\[[\da-f:.]+\])(:\d{1,5})?\/?$/i.test(text) && URL.canParse(text)
    ? new URL(text).origin
    : undefined;
}

/** @param runnerUrl what {@link runnerOrigin} gave */
export function installText(
  method: InstallMethod,
  { runnerUrl, key }: { runnerUrl: string; key: string },
): string {
  switch (method) {
    case "npx":
      // Never a package of that name that somebody else published: it would get the key.
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
