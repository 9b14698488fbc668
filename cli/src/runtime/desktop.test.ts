import { expect, it } from "vitest";
import { hasDesktop } from "./desktop.ts";

it.each([
  ["a Linux desktop", { DISPLAY: ":0" }, "linux", true],
  ["Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "linux", true],
  ["a server's console", {}, "linux", false],
  ["Windows' Linux", { WSL_DISTRO_NAME: "Debian" }, "linux", true],
  ["a Mac", {}, "darwin", true],
  ["a Mac over SSH", { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" }, "darwin", false],
  [
    "SSH with a forwarded display",
    { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22", DISPLAY: ":10" },
    "linux",
    true,
  ],
  ["CI, whatever it has", { CI: "true", DISPLAY: ":0" }, "linux", false],
] as const)("%s", (_, env, platform, expected) => {
  expect(hasDesktop(env, platform)).toBe(expected);
});
