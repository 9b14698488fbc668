/** Parts that scenarios are put together from. */
import type { RequestListener } from "node:http";
import type { ScenarioCheck, Stretch } from "../scenario.ts";
import { respondWell, send } from "../world/site.ts";
import type { World } from "../world/world.ts";

/** Slots during which all is well. */
export function well(slots: number): Stretch {
  return { slots };
}

/** Slots during which the world is broken. */
export function broken(slots: number, breaks: Stretch["breaks"], at?: readonly number[]): Stretch {
  return { slots, ...(breaks && { breaks }), ...(at && { at }) };
}

/** The home page over HTTPS, which has to answer 200 within 400 ms. */
export function shop(check: Omit<ScenarioCheck, "config"> & { config?: object }): ScenarioCheck {
  const config = {
    url: "https://shop.example/",
    timeoutMs: 400,
    assertions: [{ type: "status_code", value: 200 }],
    ...check.config,
  };
  return { ...check, config };
}

/** The home page with time enough to be slow. */
export function slowShop(check: Omit<ScenarioCheck, "config">): ScenarioCheck {
  return shop({ conditions: ["response_time_threshold"], ...check, config: { timeoutMs: 5_000 } });
}

/** The list of orders, which is JSON. */
export function ordersApi(check: Omit<ScenarioCheck, "config"> & { config?: object }): ScenarioCheck {
  const assertions = [
    { type: "status_code", value: 200 },
    { type: "body_json_path", path: "$.status", value: "ok" },
    { type: "body_json_path", path: "$.orders.newest.total", operator: "contains", value: "." },
  ];
  return shop({
    name: "Orders API",
    ...check,
    config: { url: "https://shop.example/api/orders", assertions, ...check.config },
  });
}

/** A scripted flow in a browser. */
export function flow(script: string, check: Omit<ScenarioCheck, "config">): ScenarioCheck {
  return {
    name: "Sign in",
    type: "browser",
    locations: 1,
    ...check,
    config: { browserMode: "scripted", script, timeoutMs: 6_000, screenshotMode: "disabled" },
  };
}

/** Makes the sites answer so. */
export function answering(respond: RequestListener): (world: World) => void {
  return ({ site }) => {
    site.respond = respond;
  };
}

/** Makes the sites answer with this status. */
export function status(
  code: number,
  body = "",
  headers: Record<string, string> = {},
): (world: World) => void {
  return answering((_request, response) => send(response, "text/html", body, code, headers));
}

/** Makes the sites answer one path so, and everything else well. */
export function atPath(path: string, respond: RequestListener): (world: World) => void {
  return answering((request, response) =>
    request.url === path ? respond(request, response) : respondWell(request, response),
  );
}

/** Makes nothing listen. */
export function notListening({ site }: World): void {
  site.isListening = false;
}

/** Cuts the way from the location to the target. */
export function cutOff(world: World): void {
  world.isCutOff = true;
}
