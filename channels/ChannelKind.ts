import type * as Schema from "effect/Schema"

/** What is known of a kind of push channel before there is one. It stands beside the kind. */
export interface ChannelKind<Paced extends boolean = boolean> {
  /** As apps and the table name it. */
  readonly name: string
  /**
   * An event may be several messages, or a message waits for its turn (`admit`). The intent is recorded for each
   * message just before it is sent. Declared here alone: the column `paced` is filled from it.
   */
  readonly paced: Paced
  /** The kind of hold by which the operator stops its channels, besides one on their app. Null: there is none. */
  readonly holdKind: "telegram" | null
  /**
   * What an app sets besides the address, the secret and the events. Null: its channels are not made by
   * `POST .../channels`.
   */
  readonly config: Schema.Struct<Schema.Struct.Fields> | null
  /**
   * What the secret of a channel is. `signs`: we sign with it; it is created if the app gives none, and may be rotated.
   * `token`: the receiver issued it; the app must give it, and only the app can replace it. Null: without `config`.
   */
  readonly secret: "signs" | "token" | null
}
