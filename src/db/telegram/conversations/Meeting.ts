export interface ChatKey {
  readonly appId: string
  readonly channelId: string
  readonly chatId: number
  readonly threadId: number
}

export interface Meeting extends ChatKey {
  readonly kind: string
  readonly characterSlug: string
  readonly externalUserRef: string
  readonly displayName: string | null
  readonly locale: string | null
  /** What the link by which the person came has in it, of the app's own: it is noted on a session that is opened. */
  readonly startPayload: string | null
  /**
   * `keep`: the session that there is. `renew`: a new one where the character has left the old one. `anew`: another
   * one. `join`: the one that this person has, in whatever channel.
   */
  readonly session: "keep" | "renew" | "anew" | "join"
}

export interface Met {
  readonly sessionId: string
  readonly status: "active" | "exited" | "archived"
  /** It was opened just now. */
  readonly created: boolean
  /** It has something on its log already: a greeting. */
  readonly spoken: boolean
}
