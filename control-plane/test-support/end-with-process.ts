/** Ends what a killed test run leaves behind. */
import { spawn } from "node:child_process";

/** Ends a postmaster and removes its folder once this process has ended: a run that is killed can't clean up; a shell that outlives it does. */
export function endWithThisProcess(postmasterPid: number, folder: string): void {
  const script = `while kill -0 "$1" 2>/dev/null && kill -0 "$2" 2>/dev/null; do sleep 1; done
    kill -QUIT "$2" 2>/dev/null; sleep 1; kill -0 "$1" 2>/dev/null || rm -rf "$3"`;
  const words = ["-c", script, "svc-test-watchdog", String(process.pid), String(postmasterPid), folder];
  spawn("sh", words, { detached: true, stdio: "ignore" }).unref();
}
