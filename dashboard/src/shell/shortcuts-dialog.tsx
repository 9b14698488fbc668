/** The list of the keys that act on the open page. */
import { prefer, usePreferences } from "../preferences/preferences.ts";
import { Dialog } from "../ui/dialog.tsx";
import { keysText, shortcutGroups, shortcuts } from "../ui/shortcuts.ts";

/** Shows the list. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { hasSingleKeys } = usePreferences();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {(close) => (
        <>
          {shortcutGroups.map((group) => {
            const ofGroup = shortcuts().filter((one) => one.group === group);
            return (
              ofGroup.length > 0 && (
                <section key={group}>
                  <h3>{group}</h3>
                  <dl className="keys">
                    {ofGroup.map(({ keys, label }) => (
                      <div key={keys}>
                        <dt>
                          <kbd>{keysText(keys)}</kbd>
                        </dt>
                        <dd>{label}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
              )
            );
          })}
          <p className="row">
            <label>
              <input
                type="checkbox"
                checked={hasSingleKeys}
                onChange={({ target }) => prefer({ hasSingleKeys: target.checked })}
              />{" "}
              Single keys act
            </label>
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}
