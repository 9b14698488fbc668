/** The full-screen view in a pseudo-terminal: its keys, its size, and that the terminal is as it was afterwards. */
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { columnsOf } from "../../cli/src/output/width.ts";
import { svcInTerminal, type TerminalRun } from "../harness/terminal.ts";
import { until } from "../harness/wait.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
let view: TerminalRun;
beforeAll(async () => {
  stage = await setCliStage();
  const where = ["--locations", "loc_us_east", "--type", "http"];
  // The newest is listed first.
  for (const name of ["Third", "Shop 日本語 🚀", "Home"])
    await stage.json([
      "monitors",
      "create",
      "--name",
      name,
      "--url",
      `https://${name[0]}.example/`,
      ...where,
    ]);
});
afterAll(() => stage?.strike(), 60_000);

async function withDashboard(use: () => Promise<void>): Promise<void> {
  view = await svcInTerminal(["dashboard", "--interval", "1h"], {
    cwd: stage.folder,
    env: { SVC_API_URL: stage.controlPlane.url, SVC_API_KEY: stage.controlPlane.apiKey },
  });
  try {
    await shows(/›.*Home/);
    await use();
  } finally {
    view.stop();
  }
}

/** The lines of the newest frame, without colours. */
function frame(): string[] {
  const output = stripVTControlCharacters(view.output()).replaceAll("\r", "");
  return output
    .slice(Math.max(0, output.lastIndexOf("svc http")))
    .split("\n")
    .map((line) => line.trimEnd());
}

async function shows(text: RegExp): Promise<void> {
  await until(`the view shows ${text}`, () => text.test(frame().join("\n")), { withinMs: 60_000 }).catch(
    (error) => {
      throw new Error(`${error.message}; it showed:\n${frame().join("\n")}`);
    },
  );
}

/** Back from the other screen, cursor shown, line mode and echo on. */
function expectRestored(output: string): void {
  const after = output.slice(output.lastIndexOf("\u001b[?1049l"));
  expect(after).toContain("\u001b[?25h");
  expect(after).toMatch(/ icanon[\s\S]* echo /);
  expect(output.split("\u001b[?1049h")).toHaveLength(2);
}

test.each([
  ["q", () => view.type("q")],
  ["Ctrl+C", () => view.type("\u0003")],
  ["a request to end", () => view.kill("SIGTERM")],
  ["Ctrl+C while a filter is typed", () => view.type("/x\u0003")],
])("%s ends it with code 0, and the terminal is as it was", async (_title, end) => {
  await withDashboard(async () => {
    end();
    const output = await view.ended;
    expect(output).toContain("code 0");
    expectRestored(output);
  });
});

test("arrows and letters move, Enter opens, Esc returns, / narrows down, r reads anew", async () => {
  await withDashboard(async () => {
    view.type("\u001b[B");
    await shows(/›.*Shop 日本語 🚀/);
    view.type("jk");
    view.type("\u001b[A");
    await shows(/›.*Home/);
    view.type("\r");
    await shows(/Target: +https:\/\/H\.example\//i);
    view.type("\u001b");
    await shows(/↑\/k ↓\/j move/);
    view.type("/SHOP");
    await shows(/\/SHOP_[\s\S]*›.*Shop/);
    expect(frame().join("\n")).not.toContain("Home");
    view.type("\r");
    await shows(/\/SHOP\n[\s\S]*Enter detail/);
    await stage.json(["monitors", "pause", "Shop 日本語 🚀"]);
    view.type("r");
    await shows(/› +paused +Shop/);
    view.type("q");
    expectRestored(await view.ended);
  });
});

test("each frame fits the terminal, also after it became smaller and larger again", async () => {
  await withDashboard(async () => {
    for (const [columns, rows, foot] of [
      [40, 10, /move +Enter detail.*…/],
      [100, 30, /q quit/],
      [20, 5, /svc http/],
      [80, 24, /q quit/],
    ] as const) {
      const before = view.output().length;
      view.resize(columns, rows);
      await until("it is drawn anew", () => view.output().length > before);
      await shows(foot);
      await until(`it fits ${columns}x${rows}`, () => {
        const lines = frame();
        return lines.length <= rows + 1 && lines.every((line) => columnsOf(line) <= columns);
      });
    }
    view.type("q");
    expectRestored(await view.ended);
  });
});

test("status --watch draws over its last view, fits the terminal, and ends when interrupted", async () => {
  const { url, apiKey } = stage.controlPlane;
  const watch = await svcInTerminal(["status", "--watch", "--interval", "5s"], {
    cwd: stage.folder,
    env: { SVC_API_URL: url, SVC_API_KEY: apiKey },
  });
  try {
    const views = () => watch.output().split("\u001b[H\u001b[J").slice(1);
    await until("it was drawn twice", () => views().length >= 2 && views().at(-1)?.includes("unknown,"));
    // To svc alone: a Ctrl+C that is typed would end the shell around it, too.
    watch.kill("SIGINT");
    const output = await watch.ended;
    expect(output).toContain("code 0");
    const lines = stripVTControlCharacters(views()[0] ?? "").split(/\r?\n/);
    expect(lines.filter((line) => /Home|Shop|Third/.test(line))).toHaveLength(3);
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(80);
  } finally {
    watch.stop();
  }
});
