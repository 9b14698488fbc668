/** Asks before a page with unsaved work is left by a link. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { Dialog } from "../ui/dialog.tsx";

/** What a page with work to lose has. */
interface LeaveGuard {
  /** The question, while it is asked. */
  dialog: ReactNode;
  /** Goes on without asking, once the work is saved. */
  leave(go: () => void): void;
}

/**
 * Asks before a link leads away while there is unsaved work; a tab that is closed is asked about by the browser.
 * @param discard forgets the work
 */
export function useLeaveGuard(isDirty: boolean, discard: () => void): LeaveGuard {
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string>();
  const guarded = useRef(isDirty);
  guarded.current = isDirty;
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      if (!guarded.current || event.defaultPrevented || event.button !== 0) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const link = (event.target as Element).closest?.("a[href]");
      if (!(link instanceof HTMLAnchorElement) || link.target === "_blank" || link.origin !== location.origin)
        return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(link.pathname + link.search);
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (guarded.current) event.preventDefault();
    };
    document.addEventListener("click", onClick, { capture: true });
    addEventListener("beforeunload", onUnload);
    return () => {
      document.removeEventListener("click", onClick, { capture: true });
      removeEventListener("beforeunload", onUnload);
    };
  }, []);
  const leave = (go: () => void) => {
    guarded.current = false;
    go();
  };
  const dialog = target !== undefined && (
    <Dialog title="Discard changes?" onClose={() => setTarget(undefined)}>
      {(close) => (
        <>
          <p>Your changes are not saved.</p>
          <div className="row">
            <button
              type="button"
              onClick={() => {
                discard();
                close();
                leave(() => navigate(target));
              }}
            >
              Discard changes
            </button>
            <button type="button" className="quiet-button" onClick={close}>
              Go on editing
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
  return { dialog, leave };
}
