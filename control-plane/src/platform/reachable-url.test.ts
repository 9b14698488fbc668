import { expect, it } from "vitest";
import { reachableUrl } from "./reachable-url.ts";

it.each([
  ["0.0.0.0", "http://127.0.0.1:80"],
  ["::", "http://[::1]:80"],
  ["fd00::1", "http://[fd00::1]:80"],
  ["svc.internal", "http://svc.internal:80"],
])("a listener on %s is reached at %s", (host, url) => expect(reachableUrl(host, 80)).toBe(url));
