/** Outages of pages in a browser, and of MCP servers. */
import { setTimeout as sleepMs } from "node:timers/promises";
import type { Scenario, ScenarioCheck } from "../scenario.ts";
import { respondWell, send } from "../world/site.ts";
import type { World } from "../world/world.ts";
import { answering, atPath, broken, flow, well } from "./parts.ts";

const SIGN_IN = `import { expect, test } from "@playwright/test";
test("sign in", async ({ page }) => {
  // @step: Open the page
  await page.goto("http://shop.example/page");
  await expect(page.locator("h1")).toHaveText("Welcome to the shop", { timeout: 1500 });
  // @step: Sign in
  await page.locator("#sign-in").click({ timeout: 1500 });
  await expect(page.locator("h1")).toHaveText("Your orders", { timeout: 1500 });
});`;
const LIST = `import { expect, test } from "@playwright/test";
test("list", async ({ page }) => {
  // @step: Open the list
  await page.goto("http://shop.example/page");
  await expect(page.locator("#list")).toHaveText("3 articles", { timeout: 1500 });
});`;
const WIDGET = `import { expect, test } from "@playwright/test";
test("widget", async ({ page }) => {
  // @step: Open the page
  await page.goto("http://shop.example/page");
  await page.waitForFunction(() => window.widget === true, undefined, { timeout: 1500 });
});`;

const tools = (check: Omit<ScenarioCheck, "config">): ScenarioCheck => ({
  name: "Tools",
  type: "mcp",
  locations: 2,
  ...check,
  config: {
    endpoint: "http://tools.example/mcp",
    timeoutMs: 5_000,
    expectedTools: ["echo", "get-sum"],
    testCalls: [{ toolName: "get-sum", arguments: { a: 2, b: 3 }, expectedOutputContains: "5" }],
  },
});

/** The scenarios. */
export const flows: Scenario[] = [
  {
    id: "third-party-script-fails",
    cause: "third_party",
    broken: "The CDN of a third party answers 503 for a script without which the page does not work.",
    checks: [
      flow(WIDGET, {
        name: "Page",
        frequencySeconds: 300,
        course: [
          well(4),
          broken(
            3,
            atPath("/widget.js", (_request, response) => send(response, "text/plain", "", 503)),
          ),
        ],
      }),
    ],
  },
  {
    id: "third-party-script-cut-off",
    cause: "third_party",
    broken: "The CDN of a third party closes every connection.",
    checks: [
      flow(WIDGET, {
        name: "Page",
        locations: 2,
        course: [
          well(3),
          broken(
            2,
            atPath("/widget.js", (_request, response) => response.destroy()),
          ),
        ],
      }),
    ],
  },
  {
    id: "third-party-fails-after-deployment",
    cause: "third_party",
    broken:
      "The CDN of a third party answers 500; our own deployment a quarter of an hour before is unrelated.",
    checks: [
      flow(WIDGET, {
        name: "Page",
        frequencySeconds: 300,
        course: [
          well(4),
          broken(
            2,
            atPath("/widget.js", (_request, response) => send(response, "text/plain", "", 500)),
          ),
        ],
      }),
    ],
    deployments: [{ service: "shop", version: "2.5.0", minutesAgo: 25 }],
  },
  {
    id: "flow-element-gone",
    cause: "element_gone",
    broken: "The button to sign in has another id.",
    checks: [
      flow(SIGN_IN, {
        course: [
          well(3),
          broken(
            2,
            answering((request, response) => {
              if (request.url !== "/page") return respondWell(request, response);
              send(response, "text/html", "<h1>Welcome to the shop</h1><button id=login>Sign in</button>");
            }),
          ),
        ],
      }),
    ],
  },
  {
    id: "flow-sign-in-fails",
    cause: "sign_in_fails",
    broken: "Sign-in shows its form again, whatever is typed.",
    checks: [
      flow(SIGN_IN, {
        frequencySeconds: 900,
        course: [
          well(3),
          broken(
            2,
            answering((request, response) => {
              if (!request.url?.startsWith("/login")) return respondWell(request, response);
              send(response, "text/html", "<h1>Wrong password</h1>");
            }),
          ),
        ],
      }),
    ],
  },
  {
    id: "flow-script-error",
    cause: "script_error",
    broken: "The page's own script throws before it fills the list.",
    checks: [
      flow(LIST, {
        name: "List",
        course: [
          well(3),
          broken(
            2,
            atPath("/shop.js", (_request, response) =>
              send(response, "text/javascript", "undefined.articles;"),
            ),
          ),
        ],
      }),
    ],
  },
  {
    id: "flow-blank-page",
    cause: "blank_page",
    broken: "The page is blank: 200 and nothing in it.",
    checks: [
      flow(SIGN_IN, {
        course: [
          well(3),
          broken(
            2,
            atPath("/page", (_request, response) => send(response, "text/html", "")),
          ),
        ],
      }),
    ],
  },
  {
    id: "tool-missing",
    cause: "tool_missing",
    broken: "A new version of the MCP server has no get-sum any more.",
    checks: [
      tools({
        course: [
          well(8),
          broken(3, (world: World) =>
            world.spoilTools(({ method, answer }) =>
              method === "tools/list" ? answer.replaceAll('"get-sum"', '"get-total"') : answer,
            ),
          ),
        ],
      }),
    ],
  },
  {
    id: "tool-server-speaks-no-protocol",
    cause: "protocol_error",
    broken: "A proxy answers the MCP requests with a page of its own.",
    checks: [
      tools({
        frequencySeconds: 300,
        locations: 1,
        course: [
          well(8),
          broken(
            4,
            answering((_request, response) => send(response, "application/json", "<html>proxy</html>")),
          ),
        ],
      }),
    ],
  },
  {
    id: "tool-server-slow",
    cause: "slow_first_byte",
    broken: "The MCP server waits for a dependency before each answer.",
    checks: [
      tools({
        conditions: ["response_time_threshold"],
        course: [
          well(14),
          broken(6, (world: World) =>
            world.spoilTools(async ({ answer }) => {
              await sleepMs(150);
              return answer;
            }),
          ),
        ],
      }),
    ],
  },
];
