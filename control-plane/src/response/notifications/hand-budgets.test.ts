import { type ChannelId, newId, type TeamId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { HandBudgets } from "./hand-budgets.ts";

const aTeamId = (): TeamId => newId("team");
const aChannelId = (): ChannelId => newId("channel");

describe("deliveries by hand", () => {
  it("are 6 a minute for each channel, and the next is possible 10 s later", () => {
    let nowMs = 0;
    const budgets = new HandBudgets(() => nowMs);
    const [teamId, channelId] = [aTeamId(), aChannelId()];
    for (let i = 0; i < 6; i++) budgets.spend(teamId, channelId);
    expect(() => budgets.spend(teamId, channelId)).toThrow("6 a minute for each channel; try again in 10 s");
    budgets.spend(teamId, aChannelId());
    nowMs = 10_000;
    budgets.spend(teamId, channelId);
  });

  it("are 30 a minute for each team, whatever the number of its channels, and other teams have their own", () => {
    const budgets = new HandBudgets(() => 0);
    const teamId = aTeamId();
    for (let i = 0; i < 30; i++) budgets.spend(teamId, aChannelId());
    expect(() => budgets.spend(teamId, aChannelId())).toThrow("30 a minute for each team");
    budgets.spend(aTeamId(), aChannelId());
  });
});
