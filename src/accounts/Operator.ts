/** From the least to the most. viewer: views. operator: acts. owner: also operators, their tokens, and content. */
export const OPERATOR_ROLES = ["viewer", "operator", "owner"] as const
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** The ids of those who are known only by what they came with. */
export const ADMIN_TOKEN = "ADMIN_TOKEN"
export const CONSOLE_LINK = "console link"

/** Somebody who runs this server, as a request or an event stream of theirs identifies them. */
export interface Operator {
  /**
   * `ADMIN_TOKEN`, the prefix of a token, or `console link`. Of a person whom OPERATORS lists, their verified email, or
   * else `subject` and their subject at the issuer.
   */
  readonly id: string
  /** For people to read. */
  readonly name: string
  readonly role: OperatorRole
  readonly via: "admin_token" | "token" | "session"
  /** The prefix of the session's cookie (os_...), which may be shown. */
  readonly sessionId?: string
  /** The session's CSRF token. */
  readonly csrf?: string
}

/** Whether a role includes another. */
export const includesRole = (role: OperatorRole, least: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least)

/** What an operator acts with: the prefix of the session or token, or ADMIN_TOKEN. */
export const credentialOf = ({ id, sessionId }: Operator): string => sessionId ?? id
