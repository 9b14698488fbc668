/** The page on which a rota is made. */
import { pagePath, type rotaRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { wallInputText } from "../../time/format.ts";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { RotaForm } from "./form.tsx";

const DAY_MS = 86_400_000;

/** Shows the form; a new rota is in the reader's zone, and its first turn that of today. */
export default function NewRota() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [initial] = useState(() => {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const today = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS).toISOString();
    return {
      name: "",
      timezone,
      startsAt: wallInputText(today, timezone),
      handover: { type: "weekly", weekday: "monday", time: "09:00" },
      members: [{ name: "", channelIds: [] }],
      overrides: [],
    };
  });
  const save = async (draft: object) => {
    const { rota } = await request<typeof rotaRoutes.create>("POST", "/api/rotas", { body: draft as never });
    await client.invalidateQueries();
    say({ text: `Saved. On duty now: ${rota.onDuty.member}.` });
    return pagePath("rotas", {});
  };
  return (
    <Page title="New rota">
      {mayChange ? (
        <RotaForm storeKey="new rota" initial={initial} cancelPath={pagePath("rotas", {})} save={save} />
      ) : (
        <p>You may see rotas, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
