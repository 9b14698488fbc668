/** Tabs of a page: one part of it at a time. */
import { type KeyboardEvent, type ReactNode, useId } from "react";

/** A tab: its key in the address, and its name. */
export interface Tab {
  readonly key: string;
  readonly title: string;
}

/** Shows tabs; arrow keys go from one to the next. @param props.children the part of the chosen tab */
export function Tabs({
  name,
  tabs,
  chosen,
  onChoose,
  children,
}: {
  name: string;
  tabs: readonly Tab[];
  chosen: string;
  onChoose(key: string): void;
  children: ReactNode;
}) {
  const id = useId();
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ key }) => key === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length] as Tab;
    onChoose(next.key);
    document.getElementById(`${id}${next.key}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={name} className="tabs" onKeyDown={press}>
        {tabs.map(({ key, title }) => (
          <button
            key={key}
            id={`${id}${key}`}
            type="button"
            role="tab"
            aria-selected={key === chosen}
            aria-controls={`${id}panel`}
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${chosen}`}>
        {children}
      </div>
    </>
  );
}
