/** The settings of the dashboard that this browser keeps. */
import { prefer, type Theme, usePreferences } from "../../preferences/preferences.ts";
import { Panel } from "../../ui/panel.tsx";

const THEMES: readonly (readonly [theme: Theme, word: string])[] = [
  ["system", "That of this machine"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Shows the settings. They hold as soon as they are changed. */
export function PreferencesPanel() {
  const { timeZone, theme, isDense, hasSingleKeys } = usePreferences();
  return (
    <Panel title="This browser">
      <div className="settings">
        <label>
          <span>Time zone</span>
          <select
            aria-label="Time zone"
            value={timeZone ?? ""}
            onChange={({ target }) => prefer({ timeZone: target.value === "" ? null : target.value })}
          >
            <option value="">
              {`That of this browser (${Intl.DateTimeFormat().resolvedOptions().timeZone})`}
            </option>
            <option value="UTC">UTC</option>
            {Intl.supportedValuesOf("timeZone")
              .filter((zone) => zone !== "UTC")
              .map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
          </select>
        </label>
        <div role="radiogroup" aria-label="Theme">
          <span>Theme</span>
          {THEMES.map(([one, word]) => (
            <label key={one}>
              <input
                type="radio"
                name="theme"
                checked={theme === one}
                onChange={() => prefer({ theme: one })}
              />{" "}
              {word}
            </label>
          ))}
        </div>
        <label>
          <input
            type="checkbox"
            checked={isDense}
            onChange={({ target }) => prefer({ isDense: target.checked })}
          />{" "}
          Lower rows in lists
        </label>
        <label>
          <input
            type="checkbox"
            checked={hasSingleKeys}
            onChange={({ target }) => prefer({ hasSingleKeys: target.checked })}
          />{" "}
          Single keys act, such as <kbd>r</kbd> for “Run now”; <kbd>?</kbd> lists them
        </label>
      </div>
    </Panel>
  );
}
