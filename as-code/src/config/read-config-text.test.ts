import { expect, it } from "vitest";
import { TEST_CERTIFICATE, TEST_KEY } from "../../../contract/test-support/tls.ts";
import { readConfigText } from "./read-config-text.ts";

const problemsOf = (text: string) =>
  readConfigText(text).problems.map(({ path, message }) => `${path}: ${message}`);

it("a secret that is not known may stand for a URL, for a token, which no URL can be, and for a private key", () => {
  const text = `
alertChannels:
  Chat: { type: chat, webhookUrl: "{{secrets.HOOK}}" }
  Bot:
    type: telegram
    botToken: "{{secrets.BOT}}"
    chatId: "-1001"
monitors:
  - name: Signed
    type: http
    url: https://a.example.com/
    locations: [loc_us_east]
    clientCertificate: |
      ${TEST_CERTIFICATE.trim().replaceAll("\n", "\n      ")}
    clientKey: "{{secrets.KEY}}"
  - name: Home
    type: http
    url: "{{secrets.HOOK}}"
    locations: [loc_us_east]
`;
  expect(problemsOf(text)).toEqual([]);
  expect(problemsOf(text.replace('"{{secrets.BOT}}"', '"a/b"'))).toEqual([
    expect.stringContaining("a bot token has none of / ? #"),
  ]);
  const misplaced = text.replace('"-1001"', '"{{secrets.OTHER}}"');
  expect(problemsOf(misplaced)).toEqual([expect.stringContaining("chatId")]);
});

it("certificates and keys that no run could use are problems at their fields", () => {
  const indented = (pem: string) => pem.trim().replaceAll("\n", "\n      ");
  const text = (certificate: string) => `
monitors:
  - name: Signed
    type: tls
    host: a.example.com
    locations: [loc_us_east]
    clientKey: "{{secrets.KEY}}"
    clientCertificate: |
      ${indented(certificate)}
`;
  expect(problemsOf(text(TEST_CERTIFICATE))).toEqual([]);
  expect(problemsOf(text(TEST_CERTIFICATE + TEST_KEY))).toEqual([
    expect.stringMatching(/^monitors\[0\]\.clientCertificate: holds a private key/),
  ]);
});
