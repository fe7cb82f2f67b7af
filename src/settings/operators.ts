import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import { OPERATOR_ROLES } from "#src/accounts/Operator.ts"
import { isPlainEmail, type OperatorRule } from "#src/accounts/operatorRules.ts"
import * as check from "./checks.ts"

const env = Config.option(Config.String("OPERATORS"))

const EMAIL = /^[^\s@=]{1,200}@[^\s@=]{1,200}$/
const CLAIM = /^[\x21-\x3c\x3e-\x7e]{1,200}$/

/** `EMAIL:ROLE` or `CLAIM=VALUE:ROLE`. Null: it is neither. */
const readRule = (text: string): OperatorRule | null => {
  const end = text.lastIndexOf(":")
  const role = OPERATOR_ROLES.find((one) => one === text.slice(end + 1).trim())
  const who = text.slice(0, Math.max(0, end)).trim()
  if (role === undefined) return null
  const equals = who.indexOf("=")
  if (equals === -1) return EMAIL.test(who) && isPlainEmail(who) ? { text, claim: "email", value: who, role } : null
  const [claim, value] = [who.slice(0, equals), who.slice(equals + 1)]
  return CLAIM.test(claim) && value !== "" ? { text, claim, value, role } : null
}

/** Who may operate this server after a sign-in at the issuer of OIDC_ISSUER. */
export const readOperators = Effect.fnUntraced(function* (hasIssuer: boolean) {
  const given = check.given(yield* env)
  if (given === null) return []
  const bad = (problem: string) => new check.BadSetting({ setting: "OPERATORS", problem })
  if (!hasIssuer) return yield* bad("requires OIDC_ISSUER, because operators sign in there")
  const rules: Array<OperatorRule> = []
  for (const [index, text] of given.split(",").entries()) {
    if (text.trim() === "") continue
    const rule = readRule(text.trim())
    if (rule === null)
      return yield* bad(
        `entry ${index + 1} must be EMAIL:ROLE, with an email in ASCII, or CLAIM=VALUE:ROLE, with the role ` +
          OPERATOR_ROLES.join(", ")
      )
    rules.push(rule)
  }
  return rules
})
