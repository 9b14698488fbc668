/** Checks beside HTTP, by source: what svc can hold is carried over, all else is noted, and nothing is inverted or made stricter. */
import { describe, expect, it } from "vitest";
import { imported } from "../../../test-support/imported.ts";

type Fields = Record<string, unknown>;

/** Imports one record, and returns its monitor and the notes on it, without those on locations and frequency. */
function one(from: string, content: (string | object)[] | object) {
  const { monitors, notes, problems } = imported(from, content);
  expect(problems).toEqual([]);
  const [monitor = {}] = Object.values(monitors);
  const { name: _, frequency: __, ...fields } = monitor;
  return {
    fields: fields as Fields,
    notes: notes.filter((note) => !note.includes("--location")),
  };
}

const datadog = (subtype: string, request: object, assertions: object[] = [], options: object = {}) =>
  one("datadog", {
    tests: [
      {
        public_id: "a",
        name: "a",
        type: "api",
        subtype,
        locations: ["aws:us-east-1"],
        config: { request, assertions },
        options: { tick_every: 60, ...options },
      },
    ],
  });

describe("datadog", () => {
  it("a DNS test has its type of records, its server's port and its answers", () => {
    const { fields, notes } = datadog(
      "dns",
      { host: "example.org", dnsServer: "8.8.8.8", dnsServerPort: "5353" },
      [
        { type: "recordSome", property: "MX", operator: "is", target: "10 mail.example.org" },
        { type: "recordSome", property: "MX", operator: "contains", target: "mail" },
        { type: "recordSome", property: "TXT", operator: "is", target: "x" },
        { type: "recordEvery", property: "MX", operator: "is", target: "mail" },
        { type: "responseTime", operator: "lessThan", target: 100 },
      ],
    );
    expect(fields).toMatchObject({
      type: "dns",
      recordType: "MX",
      resolver: "8.8.8.8:5353",
      expectContains: ["10 mail.example.org"],
      assertions: [{ type: "response_time", max: 100 }],
    });
    expect(notes.map((note) => note.split(":")[0])).toEqual([
      "tests[0].config.assertions[1]",
      "tests[0].config.assertions[2]",
      "tests[0].config.assertions[3]",
    ]);
    const every = { type: "recordEvery", property: "AAAA", operator: "is", target: "::1" };
    expect(datadog("dns", { host: "example.org" }, [every]).fields).toMatchObject({
      recordType: "AAAA",
      expectEquals: ["::1"],
    });
  });

  it("a gRPC test of one method is left out, and a health test has its metadata", () => {
    const request = { host: "a.org", port: 443, service: "S", metadata: { authorization: "secret" } };
    const unary = datadog("grpc", { ...request, callType: "unary", method: "M" });
    expect(unary.fields).toEqual({});
    expect(unary.notes).toEqual([expect.stringContaining("calls a method of the service's own")]);
    const health = datadog("grpc", { ...request, callType: "healthcheck" }, [
      { type: "grpcHealthcheckStatus", operator: "is", target: 1 },
      { type: "grpcMetadata", operator: "is", property: "x", target: "y" },
    ]);
    expect(health.fields).toMatchObject({
      type: "grpc",
      tls: true,
      service: "S",
      metadata: { authorization: "{{secrets.A_AUTHORIZATION}}" },
    });
    expect(health.notes).toEqual([
      expect.stringContaining("does not say whether TLS is spoken"),
      expect.stringContaining("assertions[1]: no assertion says"),
    ]);
  });

  it("a body of a step that none sends is left out, and said so", () => {
    const step = (method: string) => ({
      name: method,
      subtype: "http",
      request: { method, url: "https://a.org/", body: "x" },
    });
    const multi = one("datadog", {
      tests: [
        {
          public_id: "a",
          name: "a",
          type: "api",
          subtype: "multi",
          locations: ["aws:us-east-1"],
          config: { steps: [step("GET"), step("POST")] },
          options: { tick_every: 60 },
        },
      ],
    });
    expect((multi.fields.steps as { body?: string }[]).map(({ body }) => body)).toEqual([undefined, "x"]);
    expect(multi.notes).toContainEqual(
      expect.stringContaining("steps[0].body: is not sent with GET; it is left out"),
    );
  });

  it("a WebSocket test has its headers, its credentials and the message that has to come", () => {
    const { fields, notes } = datadog(
      "websocket",
      {
        url: "wss://a.org",
        message: "hi",
        headers: { "X-Key": "k" },
        basicAuth: { username: "u", password: "p" },
      },
      [
        { type: "receivedMessage", operator: "contains", target: "hello" },
        { type: "receivedMessage", operator: "doesNotContain", target: "bye" },
      ],
    );
    expect(fields).toMatchObject({
      url: "wss://a.org",
      send: "hi",
      expectContains: "hello",
      headers: { "X-Key": "{{secrets.A_X_KEY}}", Authorization: "Basic {{secrets.A_AUTHORIZATION}}" },
    });
    expect(notes).toEqual([expect.stringContaining("assertions[1]")]);
  });

  it("an SSL test has its name, its days, its version of TLS, and notes what no check does", () => {
    const { fields, notes } = datadog(
      "ssl",
      { host: "a.org", port: 443, servername: "x.org" },
      [
        { type: "certificate", operator: "isInMoreThan", target: 5 },
        { type: "tlsVersion", operator: "moreThanOrEqual", target: "1.3" },
        { type: "property", property: "issuer.CN", operator: "is", target: "X" },
      ],
      { accept_self_signed: true, checkCertificateRevocation: true },
    );
    expect(fields).toMatchObject({
      type: "tls",
      serverName: "x.org",
      minDaysBeforeExpiry: 5,
      minProtocol: "TLSv1.3",
    });
    expect(fields).not.toHaveProperty("assertions");
    expect(notes).toHaveLength(3);
  });

  it.each([
    [{ type: "packetLossPercentage", operator: "lessThan", target: 0.1 }, { maxLossPercent: 0 }],
    [{ type: "packetLossPercentage", operator: "lessThan", target: 0.3 }, { maxLossPercent: 20 }],
    [{ type: "packetLossPercentage", operator: "lessThanOrEqual", target: 0.3 }, { maxLossPercent: 30 }],
    [{ type: "packetsReceived", operator: "moreThan", target: 7 }, { maxLossPercent: 20 }],
    [{ type: "packetsReceived", operator: "moreThanOrEqual", target: 7 }, { maxLossPercent: 30 }],
    [{ type: "latency", property: "max", operator: "lessThan", target: 50 }, { maxRoundTripMs: 50 }],
    [{ type: "latency", property: "avg", operator: "lessThan", target: 50 }, undefined],
    [{ type: "packetLossPercentage", operator: "moreThan", target: 0.5 }, undefined],
  ])("an ICMP test of ten packets with %j", (assertion, expected) => {
    const { fields, notes } = datadog("icmp", { host: "a.org", numberOfPackets: 10 }, [assertion]);
    expect(fields).toEqual({
      type: "ping",
      host: "a.org",
      count: 10,
      ...expected,
    });
    expect(notes).toHaveLength(expected ? 0 : 1);
  });
});

const checkly = (checkType: string, request: object, rest: object = {}) =>
  one("checkly", [
    { id: "1", name: "c", checkType, frequency: 1, locations: ["eu-central-1"], request, ...rest },
  ]);

describe("checkly", () => {
  it.each(["TCP", "ICMP", "DNS"])("a %s check that should fail is left out, with the reason", (type) => {
    const { fields, notes } = checkly(
      type,
      { hostname: "a.org", port: 1, query: "a.org" },
      { shouldFail: true },
    );
    expect(fields).toEqual({});
    expect(notes).toEqual([expect.stringContaining("shouldFail")]);
  });

  it("a DNS check has its server's port, its transport and its code", () => {
    const { fields, notes } = checkly("DNS", {
      query: "example.org",
      recordType: "MX",
      nameServer: "1.1.1.1",
      port: 5353,
      protocol: "TCP",
      assertions: [
        { source: "RESPONSE_CODE", comparison: "EQUALS", target: "NXDOMAIN" },
        { source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "500" },
        { source: "JSON_ANSWER", property: "$[0].data", comparison: "EQUALS", target: "x" },
      ],
    });
    expect(fields).toMatchObject({
      recordType: "MX",
      resolver: "1.1.1.1:5353",
      transport: "tcp",
      expectedRcode: "NXDOMAIN",
      assertions: [{ type: "response_time", max: 500 }],
    });
    expect(notes).toEqual([expect.stringContaining("assertions[2]")]);
  });

  it("a TCP check has its text and the text that has to come", () => {
    const { fields, notes } = checkly("TCP", {
      hostname: "a.org",
      port: 6379,
      data: "PING\r\n",
      ipFamily: "IPv6",
      assertions: [{ source: "RESPONSE_DATA", comparison: "CONTAINS", target: "PONG" }],
    });
    expect(fields).toMatchObject({ send: "PING\r\n", expectContains: "PONG" });
    expect(notes).toEqual([expect.stringContaining("request.ipFamily: the IP version")]);
  });

  it("an ICMP check has its packets and how many may be lost", () => {
    const { fields, notes } = checkly("ICMP", {
      hostname: "a.org",
      pingCount: 15,
      assertions: [
        { source: "JSON_RESPONSE", property: "$.packetLoss", comparison: "LESS_THAN", target: "10" },
        { source: "LATENCY", property: "avg", comparison: "LESS_THAN", target: "50" },
      ],
    });
    expect(fields).toMatchObject({ count: 15, maxLossPercent: 6.7 });
    expect(notes).toEqual([expect.stringContaining("LATENCY avg")]);
  });

  it("a heartbeat says that jobs report elsewhere, and nothing of a frequency or a location", () => {
    const heartbeat = { period: 1, periodUnit: "days", grace: 2, graceUnit: "hours", pingToken: "secret" };
    const { fields, notes } = one("checkly", [{ id: "1", name: "c", checkType: "HEARTBEAT", heartbeat }]);
    expect(fields).toEqual({ type: "heartbeat", period: "24h", grace: "2h" });
    expect(notes).toEqual([expect.stringContaining("another URL")]);
    expect(imported("checkly", [{ name: "c", checkType: "HEARTBEAT", heartbeat }]).notes).toHaveLength(1);
  });
});

const kuma = (monitor: object) =>
  one("uptime-kuma", {
    monitorList: [{ id: 1, name: "k", interval: 60, maxretries: 0, timeout: 10, ...monitor }],
  });

describe("uptime-kuma", () => {
  const condition = {
    type: "expression",
    andOr: "and",
    variable: "record",
    operator: "equals",
    value: "1.2.3.4",
  };
  it("a DNS monitor has its server's port and the answer that has to come", () => {
    const dns = { type: "dns", hostname: "example.org", dns_resolve_server: "1.1.1.1", port: 5353 };
    const whole = kuma({ ...dns, dns_resolve_type: "A", conditions: JSON.stringify([condition]) });
    expect(whole.fields).toMatchObject({ resolver: "1.1.1.1:5353", expectContains: ["1.2.3.4"] });
    expect(whole.notes).toEqual([]);
    const part = kuma({
      ...dns,
      dns_resolve_type: "A",
      conditions: [{ ...condition, operator: "contains" }],
    });
    expect(part.fields).not.toHaveProperty("expectContains");
    expect(part.notes).toEqual([expect.stringContaining("conditions")]);
  });

  it("pings, WebSockets and certificates bring what checks have, and note the rest", () => {
    const ping = kuma({
      type: "ping",
      hostname: "a.org",
      packetSize: 1400,
      ping_count: 10,
      ipFamily: "ipv6",
    });
    expect(ping.fields).toMatchObject({ count: 10 });
    expect(ping.notes).toHaveLength(2);
    const socket = kuma({
      type: "websocket-upgrade",
      url: "wss://a.org",
      wsSubprotocol: "mqtt, stomp",
      accepted_statuscodes: ["1006"],
    });
    expect(socket.fields).toMatchObject({ subprotocols: ["mqtt", "stomp"] });
    expect(socket.notes).toEqual([expect.stringContaining("accepted_statuscodes")]);
    const http = { type: "http", url: "https://a.org", accepted_statuscodes: ["200-299"] };
    expect(kuma({ ...http, authMethod: "mtls", tlsCert: "C", tlsKey: "K" }).notes).toHaveLength(2);
  });

  it("pings that need longer than the time limit have a longer one, and say so", () => {
    const { fields, notes } = kuma({ type: "ping", hostname: "a.org", ping_count: 20, timeout: 2 });
    expect(fields).toMatchObject({ count: 20, timeoutMs: 3_900 });
    expect(notes).toEqual([expect.stringContaining("need at least 3900 ms")]);
  });

  it("a push monitor says that jobs report elsewhere", () => {
    const { fields, notes } = kuma({ type: "push", pushToken: "abc" });
    expect(fields).toMatchObject({ type: "heartbeat", period: "1m" });
    expect(notes).toEqual([expect.stringContaining("another URL")]);
  });
});

const gatus = (endpoint: object) =>
  one("gatus", { endpoints: [{ name: "g", interval: "60s", ...endpoint }] });

describe("gatus", () => {
  it.each([
    ["tls://a.org:443", ["[CONNECTED] == true"], { minDaysBeforeExpiry: 0 }],
    ["tls://a.org:443", ["[CERTIFICATE_EXPIRATION] > 48h"], { minDaysBeforeExpiry: 2 }],
    ["tcp://a.org:1", ["[BODY] == pat(*PONG*)"], { type: "tcp", expectContains: "PONG" }],
    ["tls://a.org:1", ["[BODY] == pat(*PONG*)"], { type: "tcp", tls: true, expectContains: "PONG" }],
    ["wss://a.org", ["[BODY] == hi"], { expectMatches: "^hi$" }],
    ["grpcs://a.org:443", ["[BODY].status == SERVING"], { type: "grpc", tls: true }],
  ])("%s with %j", (url, conditions, expected) => {
    const { fields, notes } = gatus({ url, conditions });
    expect(fields).toMatchObject(expected);
    expect(notes).toEqual([]);
  });

  it.each([
    ["tcp://a.org:1", "[BODY] != pat(*x*)"],
    ["tcp://a.org:1", "[CERTIFICATE_EXPIRATION] > 48h"],
    ["icmp://a.org", "[BODY] == x"],
  ])("%s with %s, which no such check can say, is noted as not carried over", (url, condition) => {
    const { allNotes, problems } = imported("gatus", {
      endpoints: [{ name: "g", interval: "60s", url, conditions: [condition] }],
    });
    expect(problems).toEqual([]);
    expect(allNotes.filter((note) => note.path.includes("conditions")).map(({ effect }) => effect)).toEqual([
      "left_out",
    ]);
  });

  it("a DNS endpoint that expects what is never an answer of its type is carried over without", () => {
    const dns = { "query-name": "example.org", "query-type": "MX" };
    const { fields, notes } = gatus({ url: "8.8.8.8", dns, conditions: ["[BODY] == mail.example.org"] });
    expect(fields).toMatchObject({ type: "dns", recordType: "MX" });
    expect(fields).not.toHaveProperty("expectEquals");
    expect(notes).toEqual([expect.stringMatching(/expectEquals.*left out/)]);
  });

  it("settings of the client are noted for every type, and headers of WebSockets carried over", () => {
    const client = { insecure: true, "dns-resolver": "udp://1.1.1.1:53", tls: { "certificate-file": "/c" } };
    expect(gatus({ url: "tls://a.org:443", client }).notes).toHaveLength(3);
    const headers = { Authorization: "secret" };
    expect(gatus({ url: "grpcs://a.org:443", client, headers }).notes).toHaveLength(4);
    const socket = gatus({ url: "wss://a.org", client, headers });
    expect(socket.fields).toMatchObject({ headers: { Authorization: "{{secrets.G_AUTHORIZATION}}" } });
    expect(socket.notes).toHaveLength(3);
  });
});

const blackbox = (module: object, target = "a.org:25") =>
  one("blackbox", [
    { modules: { m: module } },
    {
      scrape_configs: [
        {
          job_name: "j",
          metrics_path: "/probe",
          params: { module: ["m"] },
          static_configs: [{ targets: [target] }],
        },
      ],
    },
  ]);

describe("blackbox and grafana", () => {
  it.each([
    ["^220|ready", ["220 hello", "x\n220 hello", "it is ready"], ["x 220"]],
    ["OK|done$", ["not OK at all", "well done\nmore", "done"], ["done it"]],
    ["^(a|b)$", ["a", "x\nb\ny"], ["ab", "c"]],
    ["^[|]x", ["|x"], ["x"]],
  ])("the expression %s keeps what it means", (expect_, matching, others) => {
    const { fields } = blackbox({ prober: "tcp", tcp: { query_response: [{ expect: expect_ }] } });
    const pattern = new RegExp(String(fields.expectMatches));
    expect([...matching, ...others].filter((text) => pattern.test(text))).toEqual(matching);
  });

  it.each([
    [{ source_labels: ["__address__"], target_label: "__param_target" }, 0],
    [{ source_labels: ["__address__"], target_label: "__param_target", replacement: "https://$1/health" }, 1],
    [{ source_labels: ["host"], target_label: "__param_target" }, 1],
    [{ source_labels: ["__param_target"], target_label: "instance" }, 0],
    [{ target_label: "__address__", replacement: "exporter:9115" }, 0],
  ])("relabelling by %j is noted where it changes what is probed", (rule, count) => {
    const job = {
      job_name: "j",
      metrics_path: "/probe",
      params: { module: ["m"] },
      static_configs: [{ targets: ["a.org:25"] }],
      relabel_configs: [rule],
    };
    const { notes } = one("blackbox", [{ modules: { m: { prober: "tcp" } } }, { scrape_configs: [job] }]);
    expect(notes.filter((note) => note.includes("relabel"))).toHaveLength(count);
  });

  it("a dialogue is what a check sends and expects, and asking for TLS is startTls", () => {
    const query_response = [{ expect: "^SSH-2.0-" }, { send: "QUIT" }];
    expect(blackbox({ prober: "tcp", tcp: { query_response } }).fields).toMatchObject({
      type: "tcp",
      send: "QUIT\n",
      expectMatches: "(?:^|\\n)SSH-2.0-",
    });
    const smtp = [
      { expect: "^220 " },
      { send: "EHLO prober" },
      { expect: "^250-STARTTLS" },
      { send: "STARTTLS" },
      { expect: "^220" },
      { starttls: true },
    ];
    const tls_config = { server_name: "mail.org", insecure_skip_verify: true, min_version: "TLS13" };
    const mail = blackbox({ prober: "tcp", tcp: { query_response: smtp, tls_config } });
    expect(mail.fields).toMatchObject({
      type: "tls",
      startTls: "smtp",
      serverName: "mail.org",
      minProtocol: "TLSv1.3",
      minDaysBeforeExpiry: 0,
    });
    expect(mail.notes).toEqual([expect.stringContaining("always verified")]);
  });

  it("DNS and ICMP bring what checks have, and note the rest", () => {
    const dns = {
      query_name: "example.org",
      query_type: "SOA",
      transport_protocol: "tcp",
      valid_rcodes: ["NXDOMAIN"],
    };
    const asked = blackbox(
      {
        prober: "dns",
        dns: { ...dns, preferred_ip_protocol: "ip4", validate_answer_rrs: { fail_if_matches_regexp: ["x"] } },
      },
      "1.1.1.1:5353",
    );
    expect(asked.fields).toMatchObject({
      recordType: "SOA",
      transport: "tcp",
      resolver: "1.1.1.1:5353",
      expectedRcode: "NXDOMAIN",
    });
    expect(asked.notes).toHaveLength(2);
    const icmp = { preferred_ip_protocol: "ip4", payload_size: 100, dont_fragment: true };
    expect(blackbox({ prober: "icmp", icmp }, "a.org").notes).toHaveLength(3);
  });

  it("grafana's checks are converted alike", () => {
    const check = (target: string, settings: object) =>
      one("grafana", {
        checks: [{ id: 1, job: "g", target, frequency: 60000, timeout: 3000, probes: [], settings }],
      });
    expect(
      check("a.org:443", { tcp: { tls: true, tlsConfig: { serverName: "x.org" } } }).fields,
    ).toMatchObject({
      type: "tls",
      serverName: "x.org",
      minDaysBeforeExpiry: 0,
    });
    const queryResponse = [
      { send: Buffer.from("PING").toString("base64") },
      { expect: Buffer.from("PONG").toString("base64") },
    ];
    expect(check("a.org:1", { tcp: { queryResponse } }).fields).toMatchObject({ expectMatches: "PONG" });
    expect(
      check("example.org", { dns: { server: "1.1.1.1", port: 5353, protocol: "TCP", recordType: "NS" } })
        .fields,
    ).toMatchObject({ resolver: "1.1.1.1:5353", transport: "tcp", recordType: "NS" });
    const ping = check("a.org", { ping: { packetCount: 7, payloadSize: 10 } });
    expect([ping.fields.count, ping.notes.length]).toEqual([7, 1]);
  });
});
