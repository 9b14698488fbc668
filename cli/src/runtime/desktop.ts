/**
 * True when a browser can be opened on this machine. Over SSH it would open in front of nobody, in CI there is nobody
 * at all.
 */
export function hasDesktop(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): boolean {
  if (env.CI) return false;
  const hasDisplay = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (env.SSH_CONNECTION) return hasDisplay;
  return hasDisplay || platform === "darwin" || platform === "win32" || Boolean(env.WSL_DISTRO_NAME);
}
