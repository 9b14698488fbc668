import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Announcer } from "./announcer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const changed = (name: string, word = "Unhealthy") => ({ checkId: name, name, word });

it("a change is said at once, and those after it together after 5 s", () => {
  const said: string[] = [];
  const announcer = new Announcer((sentence) => said.push(sentence));
  announcer.add(changed("Checkout"));
  announcer.add(changed("Login"));
  announcer.add(changed("Search"));
  announcer.add(changed("Login", "Healthy"));
  vi.advanceTimersByTime(4_999);
  expect(said).toEqual(["Checkout is unhealthy"]);
  vi.advanceTimersByTime(1);
  expect(said).toEqual(["Checkout is unhealthy", "Search is unhealthy, 1 more"]);
  vi.advanceTimersByTime(60_000);
  expect(said).toHaveLength(2);
  announcer.add(changed("Checkout", "Healthy"));
  expect(said.at(-1)).toBe("Checkout is healthy");
});
