/** What an account token may do, in the words that its approver reads. */
export const SCOPES = {
  "apps:read": "See your apps, and the names and prefixes of their keys",
  "apps:write": "Create apps and change their settings",
  "keys:write": "Create, rotate and revoke the runtime keys of your apps, and revoke account tokens",
  "caps:write": "Change what your apps and their users may spend",
  "usage:read": "See what your apps have used and spent"
} as const

export type Scope = keyof typeof SCOPES

export const ALL_SCOPES = Object.keys(SCOPES) as ReadonlyArray<Scope>
