import type * as Schema from "effect/Schema"

/** What is known of a kind of push channel before there is one. It stands beside the kind. */
export interface ChannelKind<Paced extends boolean = boolean> {
  /** As apps and the table name it. */
  readonly name: string
  /** It waits for its turn (`admit`) before it sends. Declared here alone: the column `paced` is filled from it. */
  readonly paced: Paced
  /** The kind of hold by which the operator stops its channels, besides one on their app. Null: there is none. */
  readonly holdKind: "telegram" | null
  /**
   * What an app sets besides the address, the secret and the events. Null: its channels are not made by
   * `POST .../channels`.
   */
  readonly config: Schema.Struct<Schema.Struct.Fields> | null
}
