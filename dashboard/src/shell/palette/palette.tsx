/** The command palette: opens any check, incident, alert or page by some words of its name, and does what the open page can do. */
import "./palette.css";
import { pagePath, pages } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { incidentsQuery } from "../../api/queries/incidents.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { prefer } from "../../preferences/preferences.ts";
import { rowsOf } from "../../status/check-rows.ts";
import { checkStates } from "../../status/words.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { keysText, shortcuts } from "../../ui/shortcuts.ts";
import { Text } from "../../ui/text.tsx";
import { NAVIGATION } from "../navigation.tsx";
import { foundEntries, type PaletteEntry, paletteGroups } from "./entries.ts";
import { noteChosen, recentKeys } from "./recent.ts";

/** Settings that the palette changes at once. */
const SETTINGS: readonly PaletteEntry[] = [
  ["Dark theme", () => prefer({ theme: "dark" })] as const,
  ["Light theme", () => prefer({ theme: "light" })] as const,
  ["Theme of this machine", () => prefer({ theme: "system" })] as const,
  ["Times in UTC", () => prefer({ timeZone: "UTC" })] as const,
  ["Times in the zone of this browser", () => prefer({ timeZone: null })] as const,
].map(([text, does]) => ({ key: text, group: "Settings", text, does }));

/** Shows the palette. @param props.signOut ends the session */
export function Palette({ onClose, signOut }: { onClose(): void; signOut(): void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const id = useId();
  const entries = useEntries(signOut);
  const recent = useMemo(recentKeys, []);
  const found = useMemo(() => foundEntries(entries, text, recent), [entries, text, recent]);
  const choose = (entry: PaletteEntry, close: () => void) => {
    noteChosen(entry.key);
    close();
    if (typeof entry.does === "string") navigate(entry.does);
    else entry.does();
  };
  const go = (to: number) => {
    setActive(to);
    document.getElementById(`${id}${to}`)?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent, close: () => void) => {
    const last = found.length - 1;
    const next = { ArrowDown: active >= last ? 0 : active + 1, ArrowUp: active <= 0 ? last : active - 1 }[
      event.key
    ];
    const entry = found[active];
    if (event.key === "Enter" && entry) choose(entry, close);
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  };
  return (
    <Dialog title="Command palette" onClose={onClose}>
      {(close) => (
        <div className="palette">
          <input
            type="text"
            role="combobox"
            aria-label="Search or run a command"
            aria-expanded={true}
            aria-controls={`${id}list`}
            aria-activedescendant={found.length > 0 ? `${id}${active}` : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder="A check, an incident, a page, or something to do"
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setActive(0);
            }}
            onKeyDown={(event) => press(event, close)}
          />
          <div role="listbox" id={`${id}list`} aria-label="Results" className="palette-results">
            {paletteGroups.map((group) => {
              const first = found.findIndex((entry) => entry.group === group);
              return (
                first >= 0 && (
                  // biome-ignore lint/a11y/useSemanticElements: a group of options within a listbox
                  <div key={group} role="group" aria-label={group}>
                    <p aria-hidden="true" className="palette-group">
                      {group}
                    </p>
                    {found.map(
                      (entry, i) =>
                        entry.group === group && (
                          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and hears the keys
                          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
                          <div
                            key={entry.key}
                            id={`${id}${i}`}
                            role="option"
                            aria-selected={i === active}
                            onPointerMove={() => i !== active && setActive(i)}
                            onClick={() => choose(entry, close)}
                          >
                            <Text>{entry.text}</Text>
                            {entry.hint && (
                              <span className="quiet">
                                <Text>{entry.hint}</Text>
                              </span>
                            )}
                          </div>
                        ),
                    )}
                  </div>
                )
              );
            })}
          </div>
          {found.length === 0 && (
            <p role="status" className="quiet">
              Nothing is called that.
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** Returns all that can be found. Nothing is asked for while somebody types. */
function useEntries(signOut: () => void): readonly PaletteEntry[] {
  const summary = useQuery(summaryQuery).data;
  const alerts = useQuery(alertsQuery({ state: "active" })).data?.instances;
  const incidents = useQuery(incidentsQuery("open")).data?.incidents;
  return useMemo(
    () => [
      ...rowsOf(summary ?? []).map(
        ({ id, name, type, labels, state }): PaletteEntry => ({
          key: id,
          group: "Checks",
          text: name,
          hint: [checkStates[state].word, type, ...labels].join(" "),
          does: pagePath("check", { id }),
        }),
      ),
      ...(incidents ?? []).map(
        ({ id, title }): PaletteEntry => ({
          key: id,
          group: "Incidents",
          text: title,
          does: pagePath("incident", { id }),
        }),
      ),
      ...(alerts ?? []).map(
        ({ id, ruleName, checkName }): PaletteEntry => ({
          key: id,
          group: "Alerts",
          text: ruleName ?? "Alert",
          hint: checkName ?? "",
          does: pagePath("alert", { id }),
        }),
      ),
      ...shortcuts()
        .filter(({ group }) => group === "This page")
        .map(
          ({ keys, label, act }): PaletteEntry => ({
            key: `do ${label}`,
            group: "This page",
            text: label,
            hint: keysText(keys),
            does: act,
          }),
        ),
      ...NAVIGATION.map(
        (name): PaletteEntry => ({
          key: name,
          group: "Pages",
          text: pages[name].title,
          does: pagePath(name, {}),
        }),
      ),
      ...SETTINGS,
      { key: "sign out", group: "Settings", text: "Sign out", does: signOut } satisfies PaletteEntry,
    ],
    [summary, alerts, incidents, signOut],
  );
}
