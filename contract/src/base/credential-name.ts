/** Tells the names of credentials from others, however they are spelled: access_token, accessToken, X-Access-Token. Pure. */

/** Words that make a name one of a credential. Texts such as "monkey" or "author" only contain their letters. */
const CREDENTIAL_WORDS = new Set([
  "auth",
  "cookie",
  "cred",
  "creds",
  "hmac",
  "jwt",
  "key",
  "keys",
  "otp",
  "pass",
  "pin",
  "pw",
  "pwd",
  "sas",
  "sid",
  "sig",
  "totp",
  "username",
]);

/** Matches names, without what separates their words, that are of a credential wherever these letters stand in them. */
const CREDENTIAL_LETTERS =
  /token|secret|passwd|password|passphrase|passcode|credential|signature|authoriz|authoris|authentic|oauth|bearer|username|sess(?:ion)?id|(?:access|account|admin|api|app|auth|client|encryption|function|functions|host|license|master|private|secret|service|session|shared|signing|storage|subscription)keys?$|^session$|^userpass|^apikey/;

/** Longest part of a name that is looked at. */
const NAME_CHARACTERS_MAX = 200;

/** Matches the places between two words of a camelCase name, and whatever separates those of other spellings. */
const BETWEEN_WORDS = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^\p{L}\p{N}]+/gu;

/** True when a query parameter, an argument or a field of this name holds a credential. */
export function isSecretParameter(name: string): boolean {
  const words = name
    .slice(0, NAME_CHARACTERS_MAX)
    .split(BETWEEN_WORDS)
    .map((word) => word.toLowerCase().replace(/\d{1,9}$/, ""));
  const isOfUser = words.at(-1) === "user";
  return (
    isOfUser || words.some((word) => CREDENTIAL_WORDS.has(word)) || CREDENTIAL_LETTERS.test(words.join(""))
  );
}
