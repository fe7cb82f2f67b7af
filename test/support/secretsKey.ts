/** The key of secrets at rest, for servers whose secrets are nobody's. */
export const SECRETS_KEY = Buffer.alloc(32, "a key of the tests").toString("base64")
