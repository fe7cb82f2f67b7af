/** What a character lives among, beside its profile. */

export const MENTION_POLICIES = ["free", "when_asked", "never"] as const

/** Somebody in the character's life. */
export interface Npc {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly summary: string
  readonly aliases: ReadonlyArray<string>
  /** The character of the app that this is, if it is one. */
  readonly linked_slug: string | null
  /** `when_asked`: only once the person has named them. */
  readonly mention_policy: (typeof MENTION_POLICIES)[number]
}
