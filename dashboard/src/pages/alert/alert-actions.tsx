/** Actions on an alert, as buttons. */
import type { alertInstanceRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { type Answer, request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Action } from "../../ui/action.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { say } from "../../ui/messages.tsx";
import { useShortcut } from "../../ui/shortcuts.ts";

type Instance = Answer<typeof alertInstanceRoutes.get>["instance"];

const HOUR_MS = 60 * 60 * 1000;

/** Shows the buttons that are possible in the alert's state, to those who may use them. */
export function AlertActions({ instance: { id, state, muted } }: { instance: Instance }) {
  const mayChange = useMayChange();
  if (!mayChange || (state !== "active" && state !== "acknowledged")) return null;
  const params = { id };
  return (
    <>
      {state === "active" && (
        <Action
          label="Acknowledge"
          keys="a"
          isPassing
          act={() =>
            request<typeof alertInstanceRoutes.acknowledge>("POST", "/api/alerts/instances/:id/acknowledge", {
              params,
            })
          }
        />
      )}
      <Action
        label="Resolve"
        isQuiet
        isPassing
        act={() =>
          request<typeof alertInstanceRoutes.resolve>("POST", "/api/alerts/instances/:id/resolve", { params })
        }
      />
      {muted ? (
        <Action
          label="Unmute"
          keys="m"
          isQuiet
          isPassing
          act={() =>
            request<typeof alertInstanceRoutes.unmute>("POST", "/api/alerts/instances/:id/unmute", { params })
          }
        />
      ) : (
        <Mute id={id} />
      )}
    </>
  );
}

/** Shows the button that opens the choice of how long the alert stays muted. */
function Mute({ id }: { id: string }) {
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const mute = async (untilMs: number | undefined) => {
    try {
      await request<typeof alertInstanceRoutes.mute>("POST", "/api/alerts/instances/:id/mute", {
        params: { id },
        body: untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() },
      });
    } catch (error) {
      say({ text: (error as Error).message, isProblem: true });
    }
    await client.invalidateQueries();
  };
  useShortcut({
    keys: "m",
    label: "Mute for 1 hour",
    group: "This page",
    act: () => void mute(Date.now() + HOUR_MS),
  });
  return (
    <>
      <Menu
        items={[
          { label: "For 1 hour", act: () => void mute(Date.now() + HOUR_MS) },
          { label: "For 4 hours", act: () => void mute(Date.now() + 4 * HOUR_MS) },
          { label: "Until …", act: () => setAsks(true) },
          { label: "Until it ends", act: () => void mute(undefined) },
        ]}
      >
        Mute
      </Menu>
      {asks && (
        <Dialog title="Mute until" onClose={() => setAsks(false)}>
          {(close) => <MuteUntil onMute={(untilMs) => void mute(untilMs).then(close)} />}
        </Dialog>
      )}
    </>
  );
}

/** Shows the form of an instant, which the browser reads in its own zone. */
function MuteUntil({ onMute }: { onMute: (untilMs: number) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onMute(new Date(String(new FormData(event.currentTarget).get("until"))).getTime());
  };
  return (
    <form onSubmit={submit} className="settings">
      <label>
        Date and time, in {Intl.DateTimeFormat().resolvedOptions().timeZone}{" "}
        <input name="until" type="datetime-local" required />
      </label>
      <button type="submit">Mute until then</button>
    </form>
  );
}
