export interface ChatKey {
  readonly appId: string
  readonly channelId: string
  readonly chatId: number
  readonly threadId: number
}

export interface ChatOpening extends ChatKey {
  readonly kind: string
  readonly characterSlug: string
  readonly externalUserRef: string
  readonly displayName: string | null
  readonly locale: string | null
  /** The language of Telegram of the person who writes, also in a group. */
  readonly language: string | null
  /** The app's own payload in the link that the person used. It is stored on a session that is opened. */
  readonly startPayload: string | null
  /**
   * `keep`: the existing session. `renew`: a new one if the character has left the old one. `new`: always a new one.
   * `join`: the session that this person has in any channel.
   */
  readonly session: "keep" | "renew" | "new" | "join"
}

export interface OpenedChat {
  readonly sessionId: string
  readonly status: "active" | "exited" | "archived"
  /** It was just opened. */
  readonly created: boolean
  /** Its log is not empty: it has a greeting. */
  readonly spoken: boolean
}
