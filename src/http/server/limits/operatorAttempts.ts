import type { ClientLimit } from "./Cost.ts"

const WINDOW_SECONDS = 600
const MOST = { address: 10, site: 100 } as const

/** Wrong guesses of ADMIN_TOKEN per address, and per IPv6 site: in the form and as a bearer together. */
export const ATTEMPTS: ReadonlyArray<ClientLimit> = [
  { kind: "operator_sign_in", most: MOST.address, windowSeconds: WINDOW_SECONDS, per: "address" },
  { kind: "operator_sign_in_site", most: MOST.site, windowSeconds: WINDOW_SECONDS, per: "site" }
]

/**
 * Wrong operator tokens. They cannot be guessed, so they are counted by themselves: a program with an expired token
 * must not keep people of the same address from signing in.
 */
export const WRONG_TOKENS: ReadonlyArray<ClientLimit> = [
  { kind: "operator_token", most: MOST.address, windowSeconds: WINDOW_SECONDS, per: "address" },
  { kind: "operator_token_site", most: MOST.site, windowSeconds: WINDOW_SECONDS, per: "site" }
]
