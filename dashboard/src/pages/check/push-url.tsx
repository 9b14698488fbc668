/** The URL to which a check's job reports. */
import type { checkRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Action } from "../../ui/action.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Verbatim } from "../../ui/text.tsx";
import type { LoadedCheck } from "./tab-props.ts";

/** Shows the URL of a check that reports by itself, on request and to those who may change it; nothing for other checks. */
export function PushUrl({ check }: { check: LoadedCheck["check"] }) {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [shown, setShown] = useState<string>();
  if (check.pushUrl === undefined) return null;
  const params = { id: check.id };
  const show = async () => {
    const query = { secrets: "shown" } as const;
    const answer = await request<typeof checkRoutes.get>("GET", "/api/checks/:id", { params, query });
    setShown(answer.check.pushUrl);
  };
  const rotate = async () => {
    const answer = await request<typeof checkRoutes.rotatePushUrl>("POST", "/api/checks/:id/push-url", {
      params,
    });
    setShown(answer.check.pushUrl);
    await client.invalidateQueries();
  };
  const url = shown ?? check.pushUrl;
  return (
    <Panel title="Reports">
      <p>
        The job requests this URL after each run that went well, and with its exit code behind it after
        others.
      </p>
      <Verbatim label="URL to report to">{`curl -fsS -m 10 --retry 5 ${url}`}</Verbatim>
      <p className="row">
        {shown !== undefined && <Copy text={shown} label="Copy URL" />}
        {mayChange && shown === undefined && <Action label="Show URL" isQuiet act={show} />}
        {mayChange && <Action label="Replace URL" isQuiet act={rotate} />}
      </p>
    </Panel>
  );
}
