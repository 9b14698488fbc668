import { expect, it } from "vitest";
import { createPlaceholders } from "./placeholders.ts";

const SECRET = "s3cret-in-a-name";
const placeholders = () => createPlaceholders({ SVC_SECRET_TOKEN: SECRET });

it("a known secret in a header's name is blotted out, and not in the name of its placeholder either", () => {
  const written = placeholders();
  const headers = written.headers({ [`X-${SECRET}`]: "another-value", Accept: SECRET }, "home");
  expect(headers).toEqual({
    "X-***REDACTED***": "{{secrets.HOME_X_REDACTED}}",
    Accept: "{{secrets.TOKEN}}",
  });
});

it("a known secret in a parameter's name of a URL is a placeholder", () => {
  expect(placeholders().url(`https://a.example.com/?${SECRET}=1`, "home", "url")).toBe(
    "https://a.example.com/?{{secrets.TOKEN}}=1",
  );
});

it("a key without a secret stays as it is", () => {
  expect(placeholders().key("X-Team")).toBe("X-Team");
});
