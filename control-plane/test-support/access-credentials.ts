/** Every credential of the access tables, for a team of a test. */
import { signDispatchToken } from "../src/accounts/identity/dispatch-token.ts";
import type { TestApp, TestTeam } from "./app.ts";
import { keyOfLocation } from "./builders.ts";
import { aRunnerKey } from "./fleet.ts";
import { addDisplay, addKey, addPerson, addSession } from "./people.ts";

type Headers = Record<string, string>;

/** Makes a new credential and returns the headers of its requests, by the title of its column. */
export function credentialMakers(
  test: TestApp,
  { own, foreign }: { own: TestTeam; foreign: TestTeam },
): Record<string, () => Promise<Headers>> {
  const { teamId } = own;
  const runnerKey = async () => ({
    authorization: `Bearer ${(await aRunnerKey(test.services.knex, null)).runnerSecret}`,
  });
  const dispatchToken = async () => {
    const locationKey = await keyOfLocation(test.services.knex, "loc_us_east");
    const nowMs = test.clock.nowMs();
    const token = signDispatchToken(
      test.services.secrets,
      { checkKey: 1, locationKey, slotMs: nowMs },
      nowMs + 60_000,
    );
    return { authorization: `Bearer ${token}` };
  };
  return {
    none: async () => ({}),
    "key, viewer": () => addKey(test, { teamId, role: "viewer" }),
    "key, member": () => addKey(test, { teamId, role: "member" }),
    "session, viewer": async () => ({ ...(await addPerson(test, { teamId, role: "viewer" })).bySession }),
    "session, member": async () => ({ ...(await addPerson(test, { teamId, role: "member" })).bySession }),
    "session, owner": async () => ({ ...(await addSession(test, { userId: own.userId, teamId })) }),
    display: () => addDisplay(test, { teamId }),
    "runner key": runnerKey,
    "dispatch token": dispatchToken,
    "foreign key": () => addKey(test, { teamId: foreign.teamId, role: "member" }),
    "foreign session": async () => ({ ...(await addSession(test, foreign)) }),
  };
}
