import { includesRole, type OperatorRole } from "./Operator.ts"

/** An entry of OPERATORS: who signs in through the issuer becomes an operator. */
export interface OperatorRule {
  /** The entry as it was set. */
  readonly text: string
  /** `email`, which must be verified, or any other claim of the ID token. */
  readonly claim: string
  readonly value: string
  readonly role: OperatorRole
}

/** Claims of an ID token. */
export type Claims = Readonly<Record<string, unknown>>

const MAX_CHARACTERS = 200

const text = (claim: unknown): string | null =>
  typeof claim === "string" && claim.trim() !== ""
    ? claim.toWellFormed().replaceAll("\0", "").slice(0, MAX_CHARACTERS)
    : null

/** Printable ASCII. Of other characters, some look like ASCII, and some become ASCII in lower case (U+212A). */
const PLAIN_EMAIL = /^[\x21-\x7e]{1,254}$/
/** Whether an email can be compared with another one. */
export const isPlainEmail = (email: string): boolean => PLAIN_EMAIL.test(email)

const verifiedEmail = ({ email, email_verified: isVerified }: Claims): string | null =>
  isVerified === true && typeof email === "string" && isPlainEmail(email) ? email.toLowerCase() : null

const fits = (claims: Claims, { claim, value }: OperatorRule): boolean => {
  if (claim === "email") return verifiedEmail(claims) === value.toLowerCase()
  const given = claims[claim]
  return given === value || (Array.isArray(given) && given.includes(value))
}

/** The operator whom the claims identify, with the highest role of all rules that they fit. Null: they fit none. */
export const operatorOf = (rules: ReadonlyArray<OperatorRule>, claims: Claims & { readonly sub: string }) => {
  const fitting = rules.filter((rule) => fits(claims, rule))
  const [first, ...others] = fitting
  if (first === undefined) return null
  const best = others.reduce((one, other) => (includesRole(one.role, other.role) ? one : other), first)
  const operatorId = verifiedEmail(claims) ?? `subject ${claims.sub}`
  return { operatorId, name: text(claims["name"]) ?? operatorId, role: best.role, grounds: best.text }
}
