/** The unit costs of docs/scaling.md against the figures of docs/performance.md, and the arithmetic over them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";

interface Row {
  table: string;
  cells: string[];
}

const textOf = (page: string) => readFileSync(join(ROOT, "docs", page), "utf8");
const scaling = textOf("scaling.md");
const performanceText = textOf("performance.md");

/** Returns all rows of all tables, each with the heading that its table has last before it. */
function rowsOf(text: string): Row[] {
  let heading = "";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("#")) heading = line.replace(/^#+ /, "");
    const cells = line.split(" | ").map((cell) => cell.replace(/^\| ?| ?\|$/g, "").trim());
    return line.startsWith("| ") ? [{ table: heading, cells }] : [];
  });
}

const rows = { scaling: rowsOf(scaling), performance: rowsOf(performanceText) };

/** Returns the numbers in a cell: column 1 is the one after the name. @throws when no row, or more than one, has the name */
function numbersOf(
  page: keyof typeof rows,
  [heading, name]: readonly [string, string],
  column = 1,
): number[] {
  const found = rows[page].filter(({ table, cells }) => table.startsWith(heading) && cells[0] === name);
  if (found.length !== 1) throw new Error(`${found.length} rows "${name}" below "${heading}" in ${page}.md`);
  return numbersIn(found[0]?.cells[column] ?? "");
}

function numbersIn(text: string): number[] {
  return [...text.replace(/(\d),(\d)/g, "$1$2").matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
}

/** Returns the numbers in the one passage that the pattern's groups are in. */
function passage(pattern: RegExp): number[] {
  const match = pattern.exec(performanceText.replaceAll("\n", " ").replaceAll(/ +/g, " "));
  if (!match) throw new Error(`docs/performance.md does not say ${pattern}`);
  return match.slice(1).map(Number);
}

const rangeOf = (numbers: readonly number[]) => [Math.min(...numbers), Math.max(...numbers)];
const ROLLUPS = "count it in the rollups, of checks that run every 60 s";
const UNITS = "What one of each costs";
const unit = (name: string) => numbersOf("scaling", [UNITS, name]);

const HOURS = [
  "nothing else stored, an hour with 900,000 rows, right after a checkpoint",
  "50 million rows stored, such an hour, right after a checkpoint",
];
/** Returns a column of the rows of ingest into an hour that is filled; "the same hour again" has two. */
const ingestOf = (column: number) => [
  ...HOURS.flatMap((name) => numbersOf("performance", ["Ingest", name], column)),
  ...rows.performance
    .filter(({ table, cells }) => table === "Ingest" && cells[0] === "the same hour again")
    .flatMap(({ cells }) => numbersIn(cells[column] ?? "")),
];
const mergedHour = ["Ingest", "merge of an hour with 3 million rows, in the background"] as const;
const [mergedUs = 0, mergedBytes = 0] = passage(/([\d.]+) us of PostgreSQL and (\d+) bytes of log a row/);
const [bucketUsMin = 0, bucketUs = 0, hourUsMin = 0, hourUs = 0, ...rollupBytes] = passage(
  /rollups take ([\d.]+)-([\d.]+) CPU-us a result of PostgreSQL for the buckets of 5 minutes and ([\d.]+)-([\d.]+) for the hours, and (\d+)-(\d+) bytes of log/,
);
const rollupUs = [bucketUsMin + hourUsMin, bucketUs + hourUs].map((us) => Math.round(us * 10) / 10);
const fleet = "A fleet of a million checks";

describe("a unit cost of docs/scaling.md is the figure of docs/performance.md", () => {
  it.each<[name: string, expected: () => number[]]>([
    [
      "run of an http check",
      () => numbersOf("performance", ["Agent: CPU per HTTP", "agent, 1,000 a second"]),
    ],
    [
      "run of an https check, full handshake",
      () => numbersOf("performance", ["Agent: CPU per HTTP", "agent, 300 a second"]),
    ],
    ["run of an MCP check", () => numbersOf("performance", ["Agent: MCP checks", "probe"])],
    ...(["url mode", "script"] as const).map((mode): [string, () => number[]] => [
      `browser check, ${mode}`,
      () => {
        const row = ["Agent: browser checks", `svc, ${mode}`] as const;
        return [...numbersOf("performance", row), ...numbersOf("performance", row, 4)];
      },
    ]),
    ["10,000 checks known to an agent", () => passage(/has (\d+)-(\d+) MiB resident, its peak/)],
    [
      "result on the wire, with its part of the batch",
      // KB a minute from an agent, which has 10,000 check locations.
      () => [
        Math.round(Math.max(...numbersOf("performance", [fleet, "a minute: from an agent, KB"], 2)) / 10),
      ],
    ],
    [
      "decode and judge a result",
      () =>
        numbersOf("performance", [fleet, "a minute: decode results, judge slots and rules, CPU-us a result"]),
    ],
    ["store a result", () => [...rangeOf(ingestOf(3)), ...rangeOf(ingestOf(4))]],
    [
      "merge it into its part of the day",
      () => [
        ...rangeOf([mergedUs, ...numbersOf("performance", mergedHour, 3)]),
        ...rangeOf([mergedBytes, ...numbersOf("performance", mergedHour, 4)]),
      ],
    ],
    [ROLLUPS, () => [...rollupUs, ...rollupBytes]],
    ["keep it", () => passage(/A merged row takes ([\d.]+) bytes/).map(Math.round)],
    [
      "check at three locations, known to each replica",
      () =>
        numbersOf("performance", [fleet, "memory of a check in the fleet's state, bytes"]).map(Math.round),
    ],
    [
      "check location of an agent that is connected to the replica",
      () => numbersOf("performance", [fleet, "memory of a check location that an agent holds, bytes"]),
    ],
    [
      "index of the current hour, in memory while the hour lasts",
      () => passage(/134 of heap and \d+-(\d+) of index/),
    ],
  ])("%s", (name, expected) => {
    expect(unit(name)).toEqual(expected());
  });

  it("the longest hold of the event loop, and the checks at which it would be a lease", () => {
    const [seconds = 0] = passage(/event loop of one replica stood still for ([\d.]+) s of CPU/);
    expect(passage(/it stood still for ([\d.]+) s of CPU in the worst/)).toEqual([seconds]);
    const limit = Math.floor(15 / seconds);
    expect(passage(/the lease would be reached at (\d+) million checks/)).toEqual([limit]);
    const row = ["Which limit comes first", "the memory of all checks"] as const;
    expect(numbersOf("scaling", row)).toEqual([seconds]);
    expect(numbersOf("scaling", row, 2)[0]).toBe(limit);
  });
});

/** The upper end of each unit cost's ranges. */
const cost = {
  httpsMs: unit("run of an https check, full handshake")[0] as number,
  planeUs: unit("decode and judge a result")[0] as number,
  storeUs: unit("store a result")[1] as number,
  storeBytes: unit("store a result")[3] as number,
  mergeUs: unit("merge it into its part of the day")[1] as number,
  mergeBytes: unit("merge it into its part of the day")[3] as number,
  rollupUs: unit(ROLLUPS)[1] as number,
  rollupBytes: unit(ROLLUPS)[3] as number,
  rowBytes: unit("keep it")[0] as number,
  indexBytes: unit("index of the current hour, in memory while the hour lasts")[0] as number,
  checkBytes: unit("check at three locations, known to each replica")[0] as number,
  wireBytes: unit("result on the wire, with its part of the batch")[0] as number,
};
const databaseUs = cost.storeUs + cost.mergeUs + cost.rollupUs;
const logBytes = cost.storeBytes + cost.mergeBytes + cost.rollupBytes;

/** Figures have two digits, so they are off by up to a twentieth. */
function expectRounded(shown: number | undefined, exact: number): void {
  expect((shown ?? 0) / exact, `${shown} for ${exact}`).toBeGreaterThan(0.95);
  expect((shown ?? 0) / exact, `${shown} for ${exact}`).toBeLessThan(1.05);
}

it("the month of 10,000 checks that docs/performance.md counts", () => {
  const perDay = 10_000 * 3 * 24 * 60;
  const gbOf = (bytes: number, results: number) => (bytes * results) / 1e9;
  const month = (perDay * 365) / 12;
  const [rowBytes = 0] = passage(/A merged row takes ([\d.]+) bytes/);
  const [rowsGb = 0] = passage(/a month of 10,000 checks at three locations every 60 s is (\d+) GB/);
  const hours = passage(/an hour of a check location takes (\d+)-(\d+) bytes/);
  const [bucketBytes = 0] = passage(/five minutes take (\d+), 34\.4 for each of five results/);
  const unmergedBytes = 134 + 57 - rowBytes;
  expect(rowsGb).toBe(Math.round(gbOf(rowBytes, month)));
  const [least, most] = [0, 1].map(
    (end) =>
      gbOf(rowBytes + (hours[end] as number) / 60, month) +
      gbOf(bucketBytes / 5, perDay * (2 + end)) +
      gbOf(unmergedBytes, (perDay / 2) * end),
  );
  const [saidLeast, saidMost] = passage(/the month is (\d+)-(\d+) GB/);
  expect([saidLeast, saidMost]).toEqual([Math.round(least as number), Math.round(most as number)]);
});

describe("the arithmetic of docs/scaling.md", () => {
  const UNIT_SIZES: Record<string, number> = { MB: 1e6, GB: 1e9, TB: 1e12 };

  it.each<[name: string, of: (resultsPerSecond: number) => number]>([
    ["results a second", (rate) => rate],
    ["agents' CPU, cores in all", (rate) => (rate * cost.httpsMs) / 1e3],
    ["control plane's CPU, cores in all", (rate) => (rate * cost.planeUs) / 1e6],
    ["database's CPU, cores", (rate) => (rate * databaseUs) / 1e6],
    ["write-ahead log, MB/s", (rate) => (rate * logBytes) / 1e6],
    ["disk for results of 30 days", (rate) => rate * 86_400 * 30 * cost.rowBytes],
    [
      "index of the current hour, which `shared_buffers` should hold",
      (rate) => rate * 3_600 * cost.indexBytes,
    ],
    ["a replica's memory for checks", (rate) => rate * 20 * cost.checkBytes],
  ])("%s", (name, of) => {
    for (const [column, checks] of [1_000, 10_000, 100_000, 1_000_000].entries()) {
      const row = ["What that comes to", name] as const;
      const [figure = 0] = numbersOf("scaling", row, column + 1);
      const cells = rows.scaling.find(({ cells: [first] }) => first === name)?.cells ?? [];
      const size = UNIT_SIZES[/ (MB|GB|TB)$/.exec(cells[column + 1] ?? "")?.[1] ?? ""] ?? 1;
      expectRounded(figure * size, of((checks * 3) / 60));
    }
  });

  it.each<[name: string, cpuSeconds: number]>([
    ["http", (unit("run of an http check")[0] ?? 0) / 1e3],
    ["https", cost.httpsMs / 1e3],
    ["MCP", (unit("run of an MCP check")[0] ?? 0) / 1e3],
    ["browser, url mode", unit("browser check, url mode")[0] ?? 0],
    ["browser, script", unit("browser check, script")[0] ?? 0],
  ])("a million runs of %s", (name, cpuSeconds) => {
    const figures = [1, 2, 3, 4].map(
      (column) => numbersOf("scaling", ["What a million runs cost", name], column)[0],
    );
    const exact = [
      (cpuSeconds * 1e6) / 3_600,
      (cost.planeUs + databaseUs) / 3_600,
      (cost.rowBytes * 1e6) / 1e9,
      cost.wireBytes,
    ];
    for (const [index, figure] of figures.entries()) expectRounded(figure, exact[index] as number);
  });
});
