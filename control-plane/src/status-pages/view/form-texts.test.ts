import type { StatusPageView } from "@svc/contract";
import { expect, it } from "vitest";
import { FormTexts } from "./form-texts.ts";

it("makes the text and the tag of a view once in each form, and anew for another view", () => {
  const view: StatusPageView = {
    slug: "shop",
    title: "Shop",
    subscriptions: { email: false },
    description: "",
    state: "operational",
    asOf: "2026-11-21T00:00:00.000Z",
    components: [],
    notices: [],
  };
  let made = 0;
  const form = (prefix: string) => ({
    headers: {},
    textOf: ({ title }: StatusPageView) => {
      made++;
      return `${prefix} ${title}`;
    },
  });
  const [html, json] = [form("html"), form("json")];
  const texts = new FormTexts();
  const first = texts.of(view, html);
  expect(texts.of(view, html)).toBe(first);
  expect(first.text).toBe("html Shop");
  expect(first.etag).toMatch(/^"[\w-]{27}"$/);
  expect(texts.of(view, json).etag).not.toBe(first.etag);
  expect(made).toBe(2);
  expect(texts.of({ ...view }, html)).toEqual(first);
  expect(texts.of({ ...view, title: "Store" }, html).etag).not.toBe(first.etag);
  expect(made).toBe(4);
});
