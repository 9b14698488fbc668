/** The person's part of `svc login`: signs in and decides about the code that the page shows. */
import type { ControlPlane } from "./control-plane.ts";

/**
 * Signs the owner in and decides, as the consent page does.
 * @throws Error when the service does not take the decision
 */
export async function decideDeviceCode(
  { url, fetch: fetchPath }: Pick<ControlPlane, "url" | "fetch">,
  verificationUrl: string,
  decision: "authorize" | "deny",
): Promise<void> {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetchPath(path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url, ...headers },
      body: JSON.stringify(body),
    });
  const signedIn = await post("/api/auth/login", {
    email: "owner@example.com",
    password: "correct horse battery",
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const page = await (await fetch(verificationUrl, { headers: { cookie } })).text();
  const userCode = /data-code="([^"]+)"/.exec(page)?.[1];
  const { status } = await post("/api/cli/device-codes/decide", { userCode, decision }, { cookie });
  if (status !== 200) throw new Error(`the decision was answered with ${status}`);
}
