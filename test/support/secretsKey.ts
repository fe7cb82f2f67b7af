/** The key for secrets at rest, for servers with test secrets. */
export const SECRETS_KEY = Buffer.alloc(32, "a key of the tests").toString("base64")
