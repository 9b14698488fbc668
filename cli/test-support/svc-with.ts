/** Runs commands against a fake service. */
import { fakeService, type RunOptions, runSvc } from "./run-svc.ts";

type Answers = Parameters<typeof fakeService>[0];

/** Runs a command against these answers, signed in. `changes` are its requests other than GET, with their bodies. */
export async function svcWith(answers: Answers, args: readonly string[], options: RunOptions = {}) {
  const service = fakeService(answers);
  const ran = await runSvc(args, { env: { SVC_API_KEY: "sk_test" }, fetch: service.fetch, ...options });
  const changes = service.requests
    .filter(({ route }) => !route.startsWith("GET"))
    .map(({ route, body }) => (body === undefined ? route : { route, body }));
  return { ...ran, changes };
}
