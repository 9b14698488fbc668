/**
 * The dialog that adds a runner: creates a key, shows it with the command that starts an agent, and says when the agent has
 * connected. The key stays within the dialog; closing forgets it.
 */
import {
  agentPackageUrl,
  defaultRunnerUrl,
  INSTALL_METHODS,
  type InstallMethod,
  installText,
  type locationRoutes,
  runnerOrigin,
  type ServiceMeta,
} from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { runnersOfLocationQuery } from "../../api/queries/locations.ts";
import { metaQuery } from "../../api/queries/service.ts";
import { type Answer, request } from "../../api/request.ts";
import { durationText } from "../../time/format.ts";
import { Choice } from "../../ui/choice.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import { firstHeartbeat } from "./first-heartbeat.ts";

/** Interval in which the dialog looks for the new runner. */
const LOOK_MS = 2_000;

const METHODS: Readonly<Record<InstallMethod, string>> = {
  npx: "By hand",
  docker: "As a container",
  systemd: "As a systemd service",
};

/** Needs of a command on the agent's machine, where the service has a package of the agent and where it has none. */
const NEEDS: Readonly<Record<InstallMethod, { withPackage: string; without: string }>> = {
  npx: {
    withPackage: "Needs Node.js 20.19 or newer; it installs nothing outside npm's cache.",
    without: "Starts the agent of a built checkout of svc, in that folder.",
  },
  docker: {
    withPackage: "Needs a container engine.",
    without: "Needs the image svc-runner, which has to be built first.",
  },
  systemd: {
    withPackage: "Needs Node.js 20.19 or newer for all users, and root.",
    without: "Needs svc-runner and its unit, which have to be installed first, and root.",
  },
};

/** A key just made, and which runners were connected before. */
interface NewKey {
  id: string;
  secret: string;
  createdAt: string;
  before: ReadonlySet<string>;
}

/** Shows the button, and the dialog that it opens. */
export function AddRunner({ locationId }: { locationId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const client = useQueryClient();
  const close = () => {
    setIsOpen(false);
    void client.invalidateQueries();
  };
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Add a runner
      </button>
      {isOpen && (
        <Dialog title="Add a runner" onClose={close}>
          {(closeDialog) => (
            <>
              <Steps locationId={locationId} />
              <p className="actions dialog-end">
                <button type="button" className="quiet-button" onClick={closeDialog}>
                  Close
                </button>
              </p>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}

function Steps({ locationId }: { locationId: string }) {
  const [key, setKey] = useState<NewKey>();
  const [problem, setProblem] = useState<string>();
  const hasAsked = useRef(false);
  useEffect(() => {
    // An effect may run twice, and each run would make a key.
    if (hasAsked.current) return;
    hasAsked.current = true;
    createKey(locationId).then(setKey, (error: Error) => setProblem(error.message));
  }, [locationId]);
  if (problem !== undefined)
    return (
      <p role="alert" className="problem">
        {problem}
      </p>
    );
  if (!key)
    return (
      <p className="loading" aria-busy="true">
        Creating a key …
      </p>
    );
  return (
    <>
      <Install secret={key.secret} />
      <Waiting locationId={locationId} newKey={key} />
    </>
  );
}

/** Creates a key. Goes around the query client, which would keep the answer with its secret. */
async function createKey(locationId: string): Promise<NewKey> {
  const params = { id: locationId };
  const { runners }: Answer<typeof locationRoutes.listRunners> = await request<
    typeof locationRoutes.listRunners
  >("GET", "/api/locations/:id/runners", { params });
  const { key } = await request<typeof locationRoutes.createKey>("POST", "/api/locations/:id/keys", {
    params,
    body: {},
  });
  const connected = runners.filter(({ status }) => status !== "offline");
  return {
    id: key.id,
    secret: key.secret ?? "",
    createdAt: key.createdAt,
    before: new Set(connected.map(({ id }) => id)),
  };
}

/** Shows the key and, once the port for runners is known, the command that starts an agent with it. */
function Install({ secret }: { secret: string }) {
  const meta = useQuery(metaQuery);
  return (
    <>
      <p>This key lets agents connect as runners of this location. It is shown only now.</p>
      <p className="row">
        <code>{secret}</code> <Copy text={secret} label="Copy key" />
      </p>
      <Loaded query={meta}>{(service) => <Command secret={secret} service={service} />}</Loaded>
    </>
  );
}

function Command({ secret, service }: { secret: string; service: ServiceMeta }) {
  const [method, setMethod] = useState<InstallMethod>("npx");
  const [typed, setTyped] = useState<string>();
  const address = typed ?? defaultRunnerUrl(location.origin, service.runnerPort);
  const origin = runnerOrigin(address);
  const packageUrl = agentPackageUrl(location.origin, service.agentPackage);
  const command = origin && installText(method, { runnerUrl: origin, key: secret, packageUrl });
  return (
    <>
      <div className="row">
        <Choice
          label="Start the agent"
          value={method}
          options={INSTALL_METHODS.map((one) => [one, METHODS[one]] as const)}
          onChoose={(value) => setMethod(value as InstallMethod)}
        />
        <label>
          Address for runners{" "}
          <input
            value={address}
            aria-invalid={origin === undefined}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
      </div>
      <p className="quiet">{packageUrl ? NEEDS[method].withPackage : NEEDS[method].without}</p>
      {command === undefined ? (
        <p role="alert" className="problem">
          Write an address such as https://svc.example.com:8081, with nothing after it.
        </p>
      ) : (
        <div className="install">
          <Verbatim label="Command that starts the agent">{command}</Verbatim>
          <Copy text={command} label="Copy command" />
        </div>
      )}
    </>
  );
}

/** Waits for the first heartbeat of the agent that was started with the key. */
function Waiting({ locationId, newKey }: { locationId: string; newKey: NewKey }) {
  const runners = useQuery(runnersOfLocationQuery(locationId, LOOK_MS));
  const keyCreatedAt = newKey.createdAt;
  // What was seen first stays: later heartbeats come later.
  const seen = useRef<ReturnType<typeof firstHeartbeat>>(undefined);
  seen.current ??= firstHeartbeat(runners.data?.runners ?? [], { before: newKey.before, keyCreatedAt });
  return (
    <p role="status" className="waiting">
      {seen.current ? (
        <strong className="state good">
          <span>
            <Text>{seen.current.hostname}</Text> connected after {durationText(seen.current.afterMs)}
          </span>
        </strong>
      ) : (
        <span className="quiet">Waiting for the agent's first heartbeat …</span>
      )}
    </p>
  );
}
