/** Page that is shown when an address leads to no page or record. */
import { Link } from "wouter";
import { RequestError } from "../api/request.ts";
import { Page } from "../ui/page.tsx";

/** Shows that a page or record does not exist, with a link to the overview. @param props.title such as `Check not found` */
export function NotFound({ title }: { title: string }) {
  return (
    <Page title={title}>
      <p>
        There is nothing at this address, or it belongs to another team.{" "}
        <Link href="/">Go to the overview</Link>
      </p>
    </Page>
  );
}

/** True for the API's answers 404, no such record, and 400, which a malformed id gets. */
export function isNotFound(error: Error | null): boolean {
  return error instanceof RequestError && (error.status === 404 || error.status === 400);
}
