/** What stands in place of a page that could not be loaded or shown. */
import { Component, type ReactNode } from "react";

/** Beginnings of what browsers say of a file of the dashboard that is not there. */
const MISSING_FILE = /dynamically imported module|Importing a module script failed|Unable to preload/i;

interface Props {
  /** Path of the page: another page is tried anew. */
  path: string;
  children: ReactNode;
}

interface State {
  path: string;
  error: Error | undefined;
}

/**
 * Shows its children, and in their place what went wrong with them. A file that is not there belongs to an earlier version of the
 * dashboard: the service was updated while the page was open.
 */
export class PageFailure extends Component<Props, State> {
  /** Notes what a child threw. */
  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  /** Forgets it on another page. */
  static getDerivedStateFromProps({ path }: Props, state: State): State | null {
    return path === state.path ? null : { path, error: undefined };
  }

  override state: State = { path: this.props.path, error: undefined };

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    const isUpdated = MISSING_FILE.test(error.message);
    return (
      <>
        <h1>{isUpdated ? "A new version is there" : "This page can't be shown"}</h1>
        <p role="alert">
          {isUpdated
            ? "svc was updated while this page was open. Nothing is lost: load the page again."
            : `Something in the dashboard broke: ${error.message}. The other pages go on.`}
        </p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </>
    );
  }
}
