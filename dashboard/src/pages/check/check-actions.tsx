/** What can be done with a check at once: by buttons and by keys. */
import { type checkRoutes, pagePath, pushedTraitsOf } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import { request } from "../../api/request.ts";
import { duplicatePath } from "../../shell/check-paths.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Action } from "../../ui/action.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { useShortcut } from "../../ui/shortcuts.ts";
import type { LoadedCheck } from "./tab-props.ts";

/** Shows the buttons to those who may change the check. */
export function CheckActions({ check }: { check: LoadedCheck["check"] }) {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [, navigate] = useLocation();
  const params = { id: check.id };
  const run = () => request<typeof checkRoutes.trigger>("POST", "/api/checks/:id/trigger", { params });
  const enable = (enabled: boolean) =>
    request<typeof checkRoutes.update>("PUT", "/api/checks/:id", { params, body: { enabled } });
  const switchOver = () => enable(!check.enabled);
  const isProbed = pushedTraitsOf(check.type) === undefined;
  const switchWord = check.enabled ? "Pause" : "Resume";
  /** Does by key what a button does: nothing beside the pressed key could show the outcome, so a message does. */
  const byKey = (act: () => Promise<unknown>, text: string, undo?: () => Promise<unknown>) => () =>
    void act()
      .then(() => say({ text, ...(undo && { undo }) }))
      .catch((error: Error) => say({ text: error.message, isProblem: true }))
      .finally(() => client.invalidateQueries());
  useShortcut(
    { keys: "r", label: "Run now", group: "This page", act: byKey(run, "Runs now.") },
    mayChange && check.enabled && isProbed,
  );
  const switched = check.enabled ? "Paused." : "Resumed.";
  const back = () => enable(check.enabled).finally(() => client.invalidateQueries());
  useShortcut(
    { keys: "p", label: switchWord, group: "This page", act: byKey(switchOver, switched, back) },
    mayChange,
  );
  useShortcut(
    {
      keys: "e",
      label: "Edit",
      group: "This page",
      act: () => navigate(pagePath("editCheck", params)),
    },
    mayChange,
  );
  if (!mayChange) return null;
  return (
    <>
      {isProbed && <Action label="Run now" act={run} />}
      <Action label={switchWord} isQuiet act={switchOver} />
      <Link href={pagePath("editCheck", params)} className="button quiet-button">
        Edit
      </Link>
      <Link href={duplicatePath(check.id)} className="button quiet-button">
        Duplicate
      </Link>
      <DeleteButton
        what="check"
        name={check.name}
        goes="its results, alert rules and SLOs go with it."
        asksName
        act={() => request<typeof checkRoutes.delete>("DELETE", "/api/checks/:id", { params })}
        nextPath={pagePath("checks", {})}
      />
    </>
  );
}
