import { mint, prefixLength, read } from "./credential.ts"

/** `ck_` and what follows it up to here may be shown. */
export const PREFIX_LENGTH = prefixLength("ck_")

export interface MintedKey {
  /** The whole key. Shown once, never stored. */
  readonly apiKey: string
  readonly prefix: string
  readonly secretHash: Buffer
}

export const mintApiKey = (): MintedKey => {
  const { secret, prefix, secretHash } = mint("ck_")
  return { apiKey: secret, prefix, secretHash }
}

/** The parts of a presented key to look it up by; null when it cannot be one of ours. */
export const readApiKey = (presented: string) => read("ck_", presented)
