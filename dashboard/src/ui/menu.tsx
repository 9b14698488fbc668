/** A button that opens a menu of things to do. */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Text } from "./text.tsx";

/** A thing to do, or with `isChecked` a choice of several that can hold together. */
export interface MenuItem {
  readonly label: string;
  readonly act: () => void;
  readonly isChecked?: boolean;
}

/** Gap between button and menu, px. */
const GAP_PX = 4;

/**
 * Shows the button. The arrow keys go through the menu; Escape and a press elsewhere close it, and the focus returns to the button.
 * @param props.name accessible name of the button where `children` show none, such as a sign
 * @param props.head stands above the things to do
 */
export function Menu({
  children,
  name,
  items,
  head,
}: {
  children: ReactNode;
  name?: string;
  items: readonly MenuItem[];
  head?: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const itemsOf = () => [...(popover.current?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
  const open = () => {
    const [menu, anchor] = [popover.current, button.current?.getBoundingClientRect()];
    if (!menu || !anchor) return;
    // What is in the menu is rendered only while it is open: a long list has one in every row.
    flushSync(() => setIsOpen(true));
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    const isBelow = anchor.bottom + GAP_PX + height <= window.innerHeight || anchor.top < height + GAP_PX;
    menu.style.top = `${isBelow ? anchor.bottom + GAP_PX : anchor.top - GAP_PX - height}px`;
    menu.style.left = `${Math.max(8, Math.min(anchor.left, window.innerWidth - width - 8))}px`;
    itemsOf()[0]?.focus();
  };
  const press = (event: KeyboardEvent) => {
    const items = itemsOf();
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (event.key === "Tab") popover.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    items[next]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="quiet-button"
        aria-haspopup="menu"
        aria-controls={id}
        aria-label={name}
        onClick={open}
      >
        {children}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className="menu"
        onToggle={({ newState }) => setIsOpen(newState === "open")}
      >
        {isOpen && head}
        <div
          role="menu"
          tabIndex={-1}
          aria-label={name ?? (typeof children === "string" ? children : undefined)}
          onKeyDown={press}
        >
          {(isOpen ? items : []).map(({ label, act, isChecked }) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role that has it is chosen where it is set
            <button
              key={label}
              type="button"
              role={isChecked === undefined ? "menuitem" : "menuitemcheckbox"}
              aria-checked={isChecked}
              tabIndex={-1}
              onClick={() => {
                popover.current?.hidePopover();
                act();
              }}
            >
              {isChecked !== undefined && <span aria-hidden="true">{isChecked ? "✓ " : "\u2003 "}</span>}
              <Text>{label}</Text>
            </button>
          ))}
        </div>
      </div>
    </>
  );
}
