/** What is shown in place of a page or a record that does not exist. */
import { Link } from "wouter";
import { RequestError } from "../api/request.ts";
import { Page } from "../ui/page.tsx";

/** Shows that something does not exist. @param props.title such as `Check not found` */
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

/** True for the API's answer that a record does not exist, also for an id that is none. */
export function isNotFound(error: Error | null): boolean {
  return error instanceof RequestError && (error.status === 404 || error.status === 400);
}
