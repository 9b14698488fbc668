import { expect, it } from "vitest";
import { readConfigText } from "./read-config-text.ts";

const problemsOf = (text: string) =>
  readConfigText(text).problems.map(({ path, message }) => `${path}: ${message}`);

it("a secret that is not known may stand for a URL and for a token, which no URL can be", () => {
  const text = `
alertChannels:
  Chat: { type: chat, webhookUrl: "{{secrets.HOOK}}" }
  Bot:
    type: telegram
    botToken: "{{secrets.BOT}}"
    chatId: "-1001"
monitors:
  - name: Home
    type: http
    url: "{{secrets.HOOK}}"
    locations: [loc_us_east]
`;
  expect(problemsOf(text)).toEqual([]);
  expect(problemsOf(text.replace('"{{secrets.BOT}}"', '"a/b"'))).toEqual([
    expect.stringContaining("a bot token has none of / ? #"),
  ]);
  expect(problemsOf(text.replace('"-1001"', '"{{secrets.BOT}}"'))).toHaveLength(1);
});
