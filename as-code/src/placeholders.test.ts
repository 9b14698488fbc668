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

it("leaves references to secrets of the team as they are, wherever a credential may stand", () => {
  const placeholders = createPlaceholders({});
  expect(
    placeholders.headers({ Authorization: "Bearer {{vault.TOKEN}}", "X-Key": "{{ vault.KEY }}" }, "m"),
  ).toEqual({
    Authorization: "Bearer {{vault.TOKEN}}",
    "X-Key": "{{ vault.KEY }}",
  });
  expect(
    placeholders.auth({ type: "basic", username: "u-1", password: "{{vault.PASSWORD}}" }, "m"),
  ).toMatchObject({
    password: "{{vault.PASSWORD}}",
  });
  const url = "https://{{vault.USER}}:{{vault.PASSWORD}}@example.org/?api_key={{vault.KEY}}&page=2";
  expect(placeholders.url(url, "m")).toBe(url);
  expect(placeholders.variables()).toEqual([{ name: expect.stringContaining("USERNAME"), isSet: false }]);
});
