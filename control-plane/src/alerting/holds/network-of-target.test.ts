import { expect, it } from "vitest";
import { networkOfTarget, networkOfWay } from "./network-of-target.ts";

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

it.each<[string | null, string | null, string | null]>([
  ["https://a.com/", null, "a.com"],
  ["https://a.com/", "http://proxy.example.org:3128", "example.org"],
  ["https://a.com/", "http://proxy:3128", "proxy"],
  ["a.com", "9.9.9.9", "9.9.9.0/24"],
  ["a.com", "9.9.9.9:53", "9.9.9.0/24"],
  ["a.com", "ns", "ns"],
  ["a.com", "ns:5353", "ns"],
  ["a.com", "2001:db8:7::1", "2001:db8:7::/48"],
  ["a.com", "[2001:db8:7::1]:53", "2001:db8:7::/48"],
  ["a.com", "https://dns.example.net/dns-query", "example.net"],
  ["a.com", "https://{{vault.RESOLVER}}/", null],
  ["a.com", "", "(the runner's resolver)"],
  [null, "http://proxy.example.org:3128", null],
])("the way to %s by %j is of the network %s", (target, firstHop, network) => {
  expect(networkOfWay({ target, firstHop })).toBe(network);
});
