/** The form by which somebody signs in with a password. */
import type { authRoutes } from "@svc/contract";
import { type FormEvent, useRef, useState } from "react";
import { request } from "../api/request.ts";

/** Shows the form; `onSignedIn` is called once the session has begun. */
export function PasswordForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const password = useRef<HTMLInputElement>(null);
  const signIn = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    setIsBusy(true);
    setProblem(undefined);
    try {
      await request<typeof authRoutes.login>("POST", "/api/auth/login", {
        body: { email: String(fields.get("email")), password: String(fields.get("password")) },
      });
      onSignedIn();
    } catch (error) {
      setProblem((error as Error).message);
      setIsBusy(false);
      password.current?.focus();
    }
  };
  return (
    <form onSubmit={(event) => void signIn(event)}>
      <label>
        Email
        <input name="email" type="email" autoComplete="username" required maxLength={320} />
      </label>
      <label>
        Password
        <input
          ref={password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          maxLength={1024}
        />
      </label>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p>
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </p>
    </form>
  );
}
