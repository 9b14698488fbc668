/** The page on which an SLO is made. */
import { pagePath, type sloRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { SloForm } from "./form.tsx";

/** Shows the form; `?check=` names the check that it is about. */
export default function NewSlo() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [search] = useSearchParams();
  const checkId = search.get("check");
  const save = async (draft: object) => {
    const { slo } = await request<typeof sloRoutes.create>("POST", "/api/slos", { body: draft as never });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("slo", { id: slo.id });
  };
  const initial = {
    name: "",
    sloType: "check",
    ...(checkId && { checkId }),
    targetBasisPoints: 9_900,
    windowDays: 30,
    channelIds: [],
  };
  return (
    <Page title="New SLO">
      {mayChange ? (
        <SloForm storeKey="new SLO" initial={initial} cancelPath={pagePath("slos", {})} save={save} />
      ) : (
        <p>You may see SLOs, but not make any. Ask an owner of the team for the role of a member.</p>
      )}
    </Page>
  );
}
