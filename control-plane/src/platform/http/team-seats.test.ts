import type { TeamId } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { PEOPLE, type Seat, TeamSeats } from "./team-seats.ts";

const greedy = "team_greedy" as TeamId;
const modest = "team_modest" as TeamId;

/** Asks for seats and notes in what order they are given. */
function inLine(seats: TeamSeats) {
  const given: string[] = [];
  const held: Seat[] = [];
  const ask = async (teamId: TeamId, name: string) => {
    const seat = await seats.acquire(teamId);
    given.push(name);
    held.push(seat);
  };
  return { given, held, ask };
}

describe("seats of teams", () => {
  it("a team takes three quarters of them, and another one finds one at once", async () => {
    const seats = new TeamSeats({ seats: 8, waitingMax: 10, refusal: "too many" });
    const { given, held, ask } = inLine(seats);
    for (let n = 0; n < 10; n++) void ask(greedy, `greedy ${n}`);
    await Promise.resolve();
    void ask(modest, "modest");
    await new Promise(setImmediate);
    expect(given).toEqual([0, 1, 2, 3, 4, 5].map((n) => `greedy ${n}`).concat("modest"));
    held[0]?.release();
    held[0]?.release();
    await new Promise(setImmediate);
    // The other team's seat counts: three quarters of seven are five.
    expect(given).toHaveLength(7);
    held[6]?.release();
    await new Promise(setImmediate);
    expect(given.slice(7)).toEqual(["greedy 6"]);
  });

  it("a team that has one seat alone gets it, whatever the others hold", async () => {
    const seats = new TeamSeats({ seats: 1, waitingMax: 10, refusal: "too many" });
    const { given, ask } = inLine(seats);
    await ask(greedy, "greedy");
    await ask(modest, "modest");
    expect(given).toEqual(["greedy", "modest"]);
  });

  it("a team's people get the next seat, whatever its scripts ask for, and a script half of the line", async () => {
    const seats = new TeamSeats({ seats: 1, waitingMax: 4, refusal: "too many" });
    const given: string[] = [];
    const first = await seats.acquire(greedy, { asker: "key_a" });
    const ask = async (asker: string) => {
      const seat = await seats.acquire(greedy, { asker });
      given.push(asker);
      seat.release();
    };
    const asked = [ask("key_a"), ask("key_a")];
    await expect(ask("key_a")).rejects.toMatchObject({ code: "rate_limited" });
    asked.push(ask("key_b"), ask("key_b"));
    await expect(ask("key_c")).rejects.toMatchObject({ code: "rate_limited" });
    asked.push(ask(PEOPLE), ask(PEOPLE));
    await expect(ask(PEOPLE)).rejects.toMatchObject({ code: "rate_limited" });
    first.release();
    await Promise.all(asked);
    expect(given).toEqual(["key_a", "key_b", PEOPLE, "key_a", "key_b", PEOPLE]);
  });

  it("who waits in a full line is refused, and who leaves it makes way", async () => {
    const seats = new TeamSeats({ seats: 1, waitingMax: 1, refusal: "too many" });
    const held = await seats.acquire(greedy);
    const leaving = new AbortController();
    const waiting = seats.acquire(greedy, { signal: leaving.signal });
    await expect(seats.acquire(greedy)).rejects.toMatchObject({ code: "rate_limited", message: "too many" });
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    const next = seats.acquire(greedy);
    held.release();
    (await next).release();
  });
});
