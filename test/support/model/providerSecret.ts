/** Text that must never appear in an error. */
export const PROVIDER_SECRET = "provider-says-sk-leaked-key"
