import { expect, it } from "vitest";
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
      -----BEGIN CERTIFICATE-----
      MA==
      -----END CERTIFICATE-----
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
