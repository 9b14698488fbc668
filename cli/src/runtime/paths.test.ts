import { posix, win32 } from "node:path";
import { expect, it } from "vitest";
import { shownPath } from "./paths.ts";

it.each([
  [
    "Linux and macOS",
    posix,
    "/home/me/shop",
    "/home/me/shop/svc.config/monitors/home.yaml",
    "svc.config/monitors/home.yaml",
  ],
  [
    "Windows",
    win32,
    "C:\\Users\\me\\shop",
    "C:\\Users\\me\\shop\\svc.config\\monitors\\home.yaml",
    "svc.config/monitors/home.yaml",
  ],
  ["Windows, elsewhere on the drive", win32, "C:\\shop", "C:\\other\\a.ts", "../other/a.ts"],
  ["Windows, another drive", win32, "C:\\shop", "D:\\a.ts", "D:/a.ts"],
  ["a backslash is a part of a name on Linux", posix, "/shop", "/shop/a\\b.ts", "a\\b.ts"],
])("%s", (_, path, from, to, shown) => {
  expect(shownPath(from, to, path)).toBe(shown);
});
