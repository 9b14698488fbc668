import { describe, expect, it } from "vitest";
import { addressDenial } from "./address-policy.ts";
import { addressOfHost, hostNameDenial } from "./host-policy.ts";

/** Address, denied by default?, denied where private addresses are allowed? */
const ADDRESSES: [string, string, boolean, boolean][] = [
  ["public IPv4", "93.184.215.14", false, false],
  ["public IPv6", "2606:4700::6810:84e5", false, false],
  ["the first public address after 10/8", "11.0.0.0", false, false],
  ["the last address of 10/8", "10.255.255.255", true, false],
  ["the first address of 172.16/12", "172.16.0.0", true, false],
  ["the last address of 172.16/12", "172.31.255.255", true, false],
  ["the address after 172.16/12", "172.32.0.0", false, false],
  ["192.168/16", "192.168.1.1", true, false],
  ["loopback", "127.0.0.1", true, false],
  ["the end of loopback", "127.255.255.254", true, false],
  ["link-local", "169.254.1.1", true, false],
  ["CGNAT", "100.64.0.1", true, false],
  ["the end of CGNAT", "100.127.255.255", true, false],
  ["the address after CGNAT", "100.128.0.0", false, false],
  ["unspecified", "0.0.0.0", true, false],
  ["this network", "0.1.2.3", true, false],
  ["benchmarking", "198.18.0.1", true, false],
  ["multicast", "224.0.0.1", true, true],
  ["reserved", "240.0.0.1", true, true],
  ["documentation", "192.0.2.1", true, true],
  ["broadcast", "255.255.255.255", true, true],
  ["IPv6 loopback", "::1", true, false],
  ["IPv6 unspecified", "::", true, false],
  ["IPv6 link-local", "fe80::1", true, false],
  ["IPv6 link-local with a zone", "fe80::1%eth0", true, false],
  ["unique-local", "fd12:3456::1", true, false],
  ["site-local", "fec0::1", true, false],
  ["IPv6 multicast", "ff02::1", true, true],
  ["IPv6 documentation", "2001:db8::1", true, true],
  ["IPv6 discard", "100::1", true, true],
  ["IPv6 outside global unicast", "4000::1", true, true],
  ["segment routing", "5f00::1", true, true],
  ["mapped private", "::ffff:10.0.0.1", true, false],
  ["mapped loopback in hex", "::ffff:7f00:1", true, false],
  ["mapped public", "::ffff:93.184.215.14", false, false],
  ["SIIT loopback", "::ffff:0:127.0.0.1", true, false],
  ["compatible loopback", "::127.0.0.1", true, true],
  ["compatible public", "::93.184.215.14", true, true],
  ["NAT64 loopback", "64:ff9b::127.0.0.1", true, false],
  ["NAT64 public", "64:ff9b::93.184.215.14", false, false],
  ["local NAT64 public", "64:ff9b:1::93.184.215.14", true, false],
  ["6to4 private", "2002:a00:1::1", true, false],
  ["6to4 public", "2002:5db8:d70e::1", false, false],
  ["Teredo with a private client", "2001:0:5db8:d70e:0:0:f5ff:fffe", true, false],
  ["Teredo with a private server", "2001:0:a00:1:0:0:a247:28f1", true, false],
  ["ISATAP private", "2606:4700::5efe:10.0.0.1", true, false],
  ["AWS metadata", "169.254.169.254", true, true],
  ["AWS metadata, mapped", "::ffff:169.254.169.254", true, true],
  ["AWS metadata, mapped in hex", "::ffff:a9fe:a9fe", true, true],
  ["AWS metadata, compatible", "::169.254.169.254", true, true],
  ["AWS metadata, NAT64", "64:ff9b::a9fe:a9fe", true, true],
  ["AWS metadata, 6to4", "2002:a9fe:a9fe::", true, true],
  ["AWS metadata, Teredo", "2001:0:5db8:d70e:0:0:5601:5601", true, true],
  ["AWS metadata, IPv6", "fd00:ec2::254", true, true],
  ["ECS credentials", "169.254.170.2", true, true],
  ["Alibaba metadata", "100.100.100.200", true, true],
  ["Azure WireServer", "168.63.129.16", true, true],
  ["Oracle metadata", "192.0.0.192", true, true],
  ["Google metadata, IPv6", "fd20:ce::254", true, true],
  ["not an address", "example.com", true, true],
];

describe("addressDenial", () => {
  it.each(ADDRESSES)(
    "%s (%s): denied %s, denied with private allowed %s",
    (_, address, byDefault, always) => {
      expect(addressDenial(address, { allowPrivate: false }) !== undefined).toBe(byDefault);
      expect(addressDenial(address, { allowPrivate: true }) !== undefined).toBe(always);
    },
  );

  it("says what the address is", () => {
    expect(addressDenial("10.0.0.1", { allowPrivate: false })).toBe("a private address");
    expect(addressDenial("::ffff:10.0.0.1", { allowPrivate: false })).toBe(
      "it carries an IPv4 address, and that is a private address",
    );
    expect(addressDenial("169.254.169.254", { allowPrivate: true })).toMatch(/metadata/);
  });
});

describe("addressOfHost", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0x7F.1", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["017700000001", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["127.0.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["①②⑦.⓪.⓪.①", "127.0.0.1"],
    ["127。0。0。1", "127.0.0.1"],
    ["１２７.0.0.1", "127.0.0.1"],
    ["[::1]", "::1"],
    ["::ffff:7f00:1", "::ffff:7f00:1"],
    ["[fe80::1%eth0]", "fe80::1%eth0"],
    ["example.com", undefined],
    ["localhost", undefined],
    ["1.example.com", undefined],
    ["10.0.0.1.example.com", undefined],
    ["256.256.256.256", undefined],
    ["0x7f.1.2.3.4.5", undefined],
    ["", undefined],
  ])("reads %s as %s", (host, address) => {
    expect(addressOfHost(host)).toBe(address);
  });
});

describe("hostNameDenial", () => {
  it.each([
    ["localhost", true, false],
    ["LOCALHOST.", true, false],
    ["api.localhost", true, false],
    ["notlocalhost", false, false],
    ["localhost.example.com", false, false],
    ["metadata.google.internal", true, true],
    ["Metadata.Google.Internal.", true, true],
    ["instance-data", true, true],
    ["example.com", false, false],
  ])("%s: denied %s, denied with private allowed %s", (name, byDefault, always) => {
    expect(hostNameDenial(name, { allowPrivate: false }) !== undefined).toBe(byDefault);
    expect(hostNameDenial(name, { allowPrivate: true }) !== undefined).toBe(always);
  });
});
