import { describe, expect, it } from "vitest";
import { RequestError } from "../../../api/request.ts";
import { failureText, openedUrlOf } from "./words.ts";

describe("openedUrlOf", () => {
  it.each([
    ['// @step: Open\nawait page.goto("https://shop.example/a?b=c");', "https://shop.example/a?b=c"],
    ["await page.goto( 'http://127.0.0.1:80/' );", "http://127.0.0.1:80/"],
    ["await page.goto(`https://${host}/`);", ""],
    ['await page.goto("{{vault.URL}}");', ""],
    ["", ""],
  ])("returns the address that is written out in %j", (script, url) => {
    expect(openedUrlOf(script)).toBe(url);
  });
});

describe("failureText", () => {
  it("says when another try makes sense, where the service does", () => {
    expect(failureText(new RequestError(429, "Two are under way", { retryAfterSeconds: 90 }))).toBe(
      "Two are under way. Try again in 1 min 30 s.",
    );
    expect(failureText(new RequestError(503, "No answer; try again"))).toBe("No answer; try again");
  });

  it("names what was wrong with the request", () => {
    expect(failureText(new RequestError(400, "Validation failed", { details: ["locationId: none"] }))).toBe(
      "Validation failed; locationId: none",
    );
  });
});
