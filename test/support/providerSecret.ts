/** Text that must never get out of an error. */
export const PROVIDER_SECRET = "provider-says-sk-leaked-key"
