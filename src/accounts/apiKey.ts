import { mint, prefixLength, read } from "./credential.ts"

/** `ck_` and the characters up to this length may be shown. */
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

/** The parts of a presented key to look it up by. Null if it cannot be one of our keys. */
export const readApiKey = (presented: string) => read("ck_", presented)
