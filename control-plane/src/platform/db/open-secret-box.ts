import type { Config } from "../config.ts";
import { keepSecret } from "./data-folder.ts";
import { createSecretBox, type SecretBox } from "./secret-box.ts";

/** File of the data folder that keeps the key which the service made for itself. */
export const SECRET_KEY_FILE = "secret-key";

/**
 * Returns the secret box that the settings name. Without SVC_SECRET_KEY the key is read from the data folder, or made there
 * (0600): that is allowed only beside the embedded database, which lies in that folder.
 */
export function openSecretBox({ secretKey, secretKeyPrevious, dataDir }: Config): SecretBox {
  const previousKeys = secretKeyPrevious ? [secretKeyPrevious] : [];
  return createSecretBox(secretKey ?? keepSecret(dataDir, SECRET_KEY_FILE), previousKeys);
}
