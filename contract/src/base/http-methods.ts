/** Methods that an HTTP check can send. */
export const HTTP_METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"] as const;

/** True when a request of the method carries the check's body. Many servers refuse a GET with one, so it is not sent. */
export function mayHaveBody(method: (typeof HTTP_METHODS)[number]): boolean {
  return method !== "GET" && method !== "HEAD";
}
