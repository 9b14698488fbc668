import { expect, it } from "vitest";
import { networkOfTarget } from "./network-of-target.ts";

it.each<[string | null, string | null]>([
  ["https://a.example.co.uk/path", "example.co.uk"],
  ["https://b.example.co.uk:8443/", "example.co.uk"],
  ["example.com", "example.com"],
  ["db.example.com:5432", "example.com"],
  ["https://a.github.io/", "github.io"],
  ["https://b.github.io/", "github.io"],
  ["http://192.0.2.17:8080/", "192.0.2.0/24"],
  ["192.0.2.200", "192.0.2.0/24"],
  ["http://192.0.3.1/", "192.0.3.0/24"],
  ["http://[2001:db8:1:2::3]/", "2001:db8:1::/48"],
  ["http://[2001:db8:1::9]/", "2001:db8:1::/48"],
  ["http://[2001:db8:2::9]/", "2001:db8:2::/48"],
  ["http://[::1]/", "0:0:0::/48"],
  ["http://localhost:3000/", "localhost"],
  ["wss://chat.example.org/", "example.org"],
  ["not a url at all", null],
  [null, null],
])("%s counts for %s", (target, network) => {
  expect(networkOfTarget(target)).toBe(network);
});
