import * as Context from "effect/Context"
import { createHash, timingSafeEqual } from "node:crypto"
import { newUserCode, readUserCode } from "./userCode.ts"

/** Where development sign-in codes are printed: the console of the process that serves the page. */
export const SignInConsole = Context.Reference<(line: string) => void>("src/accounts/SignInConsole", {
  defaultValue: () => (line) => {
    process.stdout.write(`${line}\n`)
  }
})

export const CODE_MINUTES = 10
/** Maximum number of wrong codes per sign-in. */
const MAX_TRIES = 5
/** Maximum number of sign-ins that wait for a code, so that nobody can flood the console. */
const MAX_CODES = 20

interface Waiting {
  readonly code: string
  readonly until: number
  tries: number
}

/** `over`: the code was used, has expired, or was entered wrongly too often. */
export type Checked = "right" | "wrong" | "over"

export interface SignInCodes {
  /** Prints a code for this sign-in, at most once. `full`: too many other sign-ins are waiting. */
  readonly show: (signIn: string, write: (line: string) => void) => "shown" | "over" | "full"
  /** Each code is accepted once. */
  readonly check: (signIn: string, typed: string) => Checked
}

const isSame = (one: string, other: string) => {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/**
 * One-time codes that prove access to the server's console. In memory, like the issuer whose sign-ins they belong to.
 */
export const makeSignInCodes = (now: () => number): SignInCodes => {
  const waiting = new Map<string, Waiting>()
  const found = (signIn: string) => {
    for (const [key, { until }] of waiting) if (until <= now()) waiting.delete(key)
    return waiting.get(signIn)
  }
  return {
    show: (signIn, write) => {
      const known = found(signIn)
      if (known !== undefined) return known.tries < MAX_TRIES ? "shown" : "over"
      if (waiting.size >= MAX_CODES) return "full"
      const code = newUserCode()
      waiting.set(signIn, { code, until: now() + CODE_MINUTES * 60_000, tries: 0 })
      write(`troupe: development sign-in code ${code} (good once, for ${CODE_MINUTES} minutes)`)
      return "shown"
    },
    check: (signIn, typed) => {
      const known = found(signIn)
      if (known === undefined || known.tries >= MAX_TRIES) return "over"
      if (isSame(known.code, readUserCode(typed) ?? "")) {
        waiting.delete(signIn)
        return "right"
      }
      known.tries += 1
      return known.tries < MAX_TRIES ? "wrong" : "over"
    }
  }
}
