import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding, LocationId } from "@svc/contract";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { aMailServer } from "../../../test-support/receivers.ts";
import { parseConfig } from "../../platform/config.ts";
import { agentFindings, isTooOld } from "./examine-agents.ts";
import { browserFindings } from "./examine-browser.ts";
import { clockFinding, examineClock } from "./examine-clock.ts";
import { serverFindings } from "./examine-database.ts";
import { examineDisk } from "./examine-disk.ts";
import { examineEgress } from "./examine-egress.ts";
import { examineMail } from "./examine-mail.ts";
import { examineService } from "./examine-service.ts";
import { examineTls } from "./examine-tls.ts";
import type { Patient } from "./patient.ts";
import type { ConnectedRunner, LocationDemand, ServerFacts } from "./store.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const GIB = 1024 ** 3;
const never = new AbortController().signal;

function aPatient(
  environment: Record<string, string> = {},
  changes: Partial<Omit<Patient, "machine">> & { machine?: Partial<Patient["machine"]> } = {},
): Patient {
  return {
    config: parseConfig(environment),
    log: pino({ level: "silent" }),
    options: { reach: [] },
    pendingMigrations: [],
    knex: undefined,
    databaseFindings: [],
    ...changes,
    machine: {
      clock: { nowMs: () => NOW_MS },
      space: () => ({ freeBytes: 50 * GIB, totalBytes: 100 * GIB }),
      isClockSynchronized: async () => undefined,
      ...changes.machine,
    },
  };
}

const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};
const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level);

/** Starts a web server on a port of the system's choice. */
async function aWebServer(answer: { status: number; body: string; date?: string }): Promise<string> {
  const server = createServer((_request, response) => {
    response.sendDate = answer.date === undefined;
    response.writeHead(answer.status, answer.date ? { date: answer.date } : {}).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a port of loopback at which nothing listens. */
async function aFreePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

describe("database", () => {
  const facts: ServerFacts = {
    version: "16.2",
    versionNumber: 160_002,
    isStandby: false,
    isReadOnly: false,
    connectionsMax: 97,
    connections: 5,
    locksMax: 6_400,
    fsync: "on",
    fullPageWrites: "on",
    synchronousCommit: "on",
    autovacuum: "on",
    nowMs: NOW_MS,
    oldestTransactionPid: null,
    oldestTransactionSeconds: null,
  };
  const config = { databaseUrl: "postgres://x/y", databasePoolMax: 20, retentionDays: 30 };

  it("finds a good server good", () => {
    expect(levels(serverFindings(facts, config))).toEqual(["ok"]);
  });

  it.each<[string, Partial<ServerFacts>, Finding["level"], RegExp]>([
    ["an old version", { versionNumber: 130_014, version: "13.14" }, "problem", /PostgreSQL 14 or newer/],
    ["a standby", { isStandby: true, isReadOnly: true }, "problem", /standby/],
    ["one that takes no writes", { isReadOnly: true }, "problem", /default_transaction_read_only/],
    ["one without fsync", { fsync: "off" }, "problem", /^fsync is off/],
    ["one without full pages", { fullPageWrites: "off" }, "problem", /^full_page_writes is off/],
    ["one that acknowledges early", { synchronousCommit: "off" }, "warning", /loses the results/],
    ["one without vacuum", { autovacuum: "off" }, "warning", /autovacuum is off/],
    ["too few connections at all", { connectionsMax: 23 }, "problem", /up to 24/],
    ["too few that are free", { connections: 80 }, "warning", /80 of 97/],
    ["fewer locks than a month of results takes", { locksMax: 3_599 }, "warning", /3599 locks, .* 3600/],
    [
      "a transaction that stays open",
      { oldestTransactionPid: 77, oldestTransactionSeconds: 3_700 },
      "warning",
      /session 77 .* 61 minutes/,
    ],
  ])("warns of %s", (_what, change, level, message) => {
    const findings = serverFindings({ ...facts, ...change }, config).filter((one) => one.level !== "ok");
    expect(findings).toEqual([
      { level, message: expect.stringMatching(message), remedy: expect.any(String) },
    ]);
  });
});

describe("agents and browser", () => {
  const runner: ConnectedRunner = {
    hostname: "rack-1",
    version: "0.11.0",
    capabilities: ["http", "mcp", "browser"],
    locationKeys: [1, 2],
    draining: false,
    stats: {},
  };
  const demand: LocationDemand = {
    locationKey: 1,
    locationId: "loc_eu_west" as LocationId,
    isHosted: true,
    type: "http",
    checks: 3,
  };
  const inOwn: LocationDemand = {
    ...demand,
    locationKey: 9,
    locationId: "loc_lab" as LocationId,
    isHosted: false,
  };

  it("are well where each location has an agent that can", () => {
    expect(levels(agentFindings([demand, { ...demand, type: "browser" }], [runner]))).toEqual(["ok"]);
    expect(levels(browserFindings([{ ...demand, type: "browser" }], [runner]))).toEqual(["ok"]);
    expect(levels(agentFindings([], []))).toEqual(["skipped"]);
  });

  it("tell of locations without an agent: a problem at hosted ones, a warning at those of teams", () => {
    const [hosted, own] = agentFindings([demand, { ...demand, type: "mcp" }, inOwn], []);
    expect(hosted).toMatchObject({ level: "problem", message: expect.stringMatching(/loc_eu_west,/) });
    expect(own).toMatchObject({
      level: "warning",
      message: expect.stringMatching(/private location loc_lab,/),
    });
  });

  it("tell of check types that no agent of a location runs, browser checks apart", () => {
    const http = { ...runner, capabilities: ["http"] };
    const types = [demand, { ...demand, type: "mcp" }, { ...demand, type: "browser", checks: 1 }];
    expect(agentFindings(types, [http]).map(({ message }) => message)).toEqual([
      "3 mcp checks at loc_eu_west run nowhere: no agent there runs mcp checks",
    ]);
    expect(browserFindings(types, [http])).toEqual([
      {
        level: "problem",
        message: "1 browser check at loc_eu_west run nowhere: no agent there runs browser checks",
        remedy: expect.stringContaining("svc-runner doctor"),
      },
    ]);
    expect(levels(browserFindings(types, [http, runner]))).toEqual(["ok"]);
  });

  it("tell of agents that are late, and of those that dropped results", () => {
    const late = { ...runner, stats: { latenessP99Ms: 4_000 } };
    const full = { ...runner, hostname: "rack-2", stats: { droppedResults: 7 } };
    expect(agentFindings([demand], [late, full]).map(({ message }) => message)).toEqual([
      "rack-1 begins checks more than 1 s late",
      "rack-2 (7 results) dropped results because the spool or the disk was full",
    ]);
  });

  it.each([
    ["0.11.0", "0.11.3", false],
    ["0.10.9", "0.11.0", false],
    ["0.9.9", "0.11.0", true],
    ["0.12.0", "0.11.0", false],
    ["1.0.0", "1.2.0", true],
    ["0.11.0", "1.0.0", false],
    ["dev", "1.2.0", false],
  ])("an agent %s beside %s is too old: %s", (version, present, isOld) => {
    expect(isTooOld(version, present)).toBe(isOld);
  });
});

describe("clock", () => {
  it.each([
    [400, "ok", /agrees/],
    [1_500, "warning", /1\.5 s behind the database's/],
    [-90_000, "warning", /90\.0 s ahead of the database's/],
  ])("a difference of %i ms is %s", (aheadMs, level, message) => {
    const { level: found, message: text } = clockFinding("the database's", aheadMs, 1_000);
    expect([found, text]).toEqual([level, expect.stringMatching(message)]);
  });

  it("is compared with the clock of a server that was reached", async () => {
    const url = await aWebServer({ status: 200, body: "", date: new Date(NOW_MS + 60_000).toUTCString() });
    const patient = aPatient({ SVC_EGRESS_PRIVATE: "allow" }, { options: { reach: [url] } });
    expect((await examineClock(patient, never)).at(-1)).toMatchObject({
      level: "warning",
      message: expect.stringMatching(/^this clock is 60\.5 s behind that of 127\.0\.0\.1/),
    });
  });

  it("is doubted where no time server keeps it", async () => {
    const one = async (isSynchronized: boolean | undefined) =>
      levels(
        await examineClock(
          aPatient({}, { machine: { isClockSynchronized: async () => isSynchronized } }),
          never,
        ),
      );
    expect([await one(true), await one(false), await one(undefined)]).toEqual([
      ["ok"],
      ["warning"],
      ["skipped"],
    ]);
  });
});

describe("disk", () => {
  it.each([
    [50, "ok"],
    [9, "warning"],
    [0.5, "problem"],
  ])("%d of 100 GiB free: %s", async (freeGib, level) => {
    const machine = { space: () => ({ freeBytes: freeGib * GIB, totalBytes: 100 * GIB }) };
    const findings = await examineDisk(aPatient({ SVC_DATA_DIR: aFolder() }, { machine }));
    expect(levels(findings)).toEqual([level]);
  });

  it("says so where nothing is stored here", async () => {
    const findings = await examineDisk(aPatient({ SVC_DATA_DIR: join(aFolder(), "none") }));
    expect(levels(findings)).toEqual(["skipped"]);
  });
});

describe("smtp", () => {
  const from = { SVC_SMTP_FROM: "Monitoring <svc@example.com>" };

  it("connects, and sends a mail only on request", async () => {
    const server = await aMailServer();
    const environment = { SVC_SMTP_URL: server.url, ...from };
    expect(levels(await examineMail(aPatient(environment)))).toEqual(["ok"]);
    expect(server.mails).toEqual([]);
    const options = { reach: [], mailTo: "ops@example.com" };
    expect(levels(await examineMail(aPatient(environment, { options })))).toEqual(["ok", "ok"]);
    expect(server.mails.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [["ops@example.com"], "svc: test mail"],
    ]);
  });

  it("tells what the server refused", async () => {
    const server = await aMailServer(() => 550);
    const options = { reach: [], mailTo: "ops@example.com" };
    const patient = aPatient({ SVC_SMTP_URL: server.url, ...from }, { options });
    expect((await examineMail(patient)).at(-1)).toMatchObject({
      level: "problem",
      message: expect.stringContaining("refused"),
    });
  });

  it("warns where there is none, and finds one that can't be reached", async () => {
    expect(levels(await examineMail(aPatient()))).toEqual(["warning"]);
    const port = await aFreePort();
    const [finding] = await examineMail(
      aPatient({ SVC_SMTP_URL: `smtp://u:secret@127.0.0.1:${port}`, ...from }),
    );
    expect(finding).toMatchObject({ level: "problem", remedy: expect.stringContaining("host and port") });
    expect(JSON.stringify(finding)).not.toContain("secret");
  });
});

describe("egress", () => {
  it("connects to addresses of the settings, and requests nothing of them", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const findings = await examineEgress(
      aPatient({ SVC_HEARTBEAT_URL: `http://${host}/ping/s3cret` }),
      never,
    );
    expect(findings.at(-1)).toEqual({
      level: "ok",
      message: `${host} of SVC_HEARTBEAT_URL takes connections`,
    });
    expect(requests).toBe(0);
    expect(JSON.stringify(findings)).not.toContain("s3cret");
  });

  it("finds an address that nobody listens at", async () => {
    const url = `http://127.0.0.1:${await aFreePort()}`;
    const findings = await examineEgress(aPatient({ SVC_PAGING_BASE_URL: url }), never);
    expect(findings.at(-1)).toMatchObject({
      level: "problem",
      message: expect.stringContaining("SVC_PAGING_BASE_URL"),
    });
  });

  it("requests what it is asked to, under the policy of checks", async () => {
    const url = await aWebServer({ status: 404, body: "" });
    const options = { reach: [url] };
    const denied = await examineEgress(aPatient({ SVC_EGRESS_PRIVATE: "deny" }, { options }), never);
    expect(denied.at(-1)).toMatchObject({
      level: "problem",
      message: expect.stringContaining("SVC_EGRESS_PRIVATE"),
    });
    const allowed = await examineEgress(aPatient({ SVC_EGRESS_PRIVATE: "allow" }, { options }), never);
    expect(allowed.at(-1)).toMatchObject({
      level: "ok",
      message: expect.stringMatching(/answers with 404$/),
    });
  });
});

describe("service", () => {
  it("gives the reason of one that is not ready, and says so where none runs", async () => {
    const url = await aWebServer({
      status: 503,
      body: '{"status":"unavailable","reason":"the database is away"}',
    });
    const [found] = await examineService(aPatient({ SVC_HTTP_PORT: new URL(url).port }), never);
    expect(found).toMatchObject({
      level: "problem",
      message: expect.stringMatching(/the database is away$/),
    });
    const findings = await examineService(aPatient({ SVC_HTTP_PORT: String(await aFreePort()) }), never);
    expect(levels(findings)).toEqual(["skipped"]);
  });

  it("warns of links that lead elsewhere", async () => {
    const port = String(await aFreePort());
    const right = await aWebServer({ status: 200, body: '{"status":"ok"}' });
    const wrong = await aWebServer({ status: 200, body: "<h1>It works!</h1>" });
    const last = async (environment: Record<string, string>) =>
      (await examineService(aPatient({ SVC_HTTP_PORT: port, ...environment }), never)).at(-1)?.level;
    expect(await last({ SVC_PUBLIC_URL: right })).toBe("ok");
    expect(await last({ SVC_PUBLIC_URL: wrong })).toBe("warning");
    expect(await last({ SVC_HOST: "0.0.0.0" })).toBe("warning");
  });
});

describe("tls", () => {
  const files = (days: number) => {
    const folder = aFolder();
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    execFileSync(
      "openssl",
      [
        ...[
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:P-256",
          "-nodes",
          "-subj",
          "/CN=x",
        ],
        ...[
          "-addext",
          "subjectAltName=DNS:runners.example.com",
          "-days",
          String(days),
          "-keyout",
          key,
          "-out",
          cert,
        ],
      ],
      { stdio: "ignore" },
    );
    return { SVC_RUNNER_TLS_CERT_FILE: cert, SVC_RUNNER_TLS_KEY_FILE: key };
  };
  const nowMs = Date.now();
  const at = (days: number) => ({ machine: { clock: { nowMs: () => nowMs + days * 86_400_000 } } });

  it("judges how long the certificate is valid", async () => {
    const environment = files(90);
    const one = async (days: number) => levels(await examineTls(aPatient(environment, at(days))));
    expect([await one(1), await one(80), await one(91), await one(-1)]).toEqual([
      ["ok"],
      ["warning"],
      ["problem"],
      ["problem"],
    ]);
  });

  it("finds a key of another certificate, and a file that is none", async () => {
    const { SVC_RUNNER_TLS_CERT_FILE } = files(90);
    const other = files(90);
    const mixed = await examineTls(aPatient({ ...other, SVC_RUNNER_TLS_CERT_FILE }));
    expect(mixed[0]?.message).toContain("is not that of the certificate");
    writeFileSync(other.SVC_RUNNER_TLS_CERT_FILE, "nothing");
    expect((await examineTls(aPatient(other)))[0]?.message).toContain("can't be read");
  });

  it("warns of cleartext beyond this machine", async () => {
    expect(levels(await examineTls(aPatient({ SVC_RUNNER_HOST: "0.0.0.0" })))).toEqual(["warning"]);
    expect(levels(await examineTls(aPatient({ SVC_RUNNER_HOST: "::1" })))).toEqual(["ok"]);
  });
});
