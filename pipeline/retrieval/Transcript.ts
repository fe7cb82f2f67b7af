import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Referred } from "../domain/referred.ts"

/** One thing said, in the order of the log. */
export interface Utterance {
  readonly role: "user" | "character"
  readonly text: string
  /** What a message of the person quotes or forwards. */
  readonly referred?: ReadonlyArray<Referred>
  readonly cursor: number
  readonly at: Date
}

/** The id for citing an utterance: its position on the session's log. */
export const memoryId = ({ cursor }: Pick<Utterance, "cursor">): string => `cursor-${cursor}`

/** Port: what has been said in a session. */
export class Transcript extends Context.Service<
  Transcript,
  {
    /** The last `limit` utterances before the user message of this turn, oldest first. */
    readonly before: (
      turn: { readonly appId: string; readonly sessionId: string; readonly turnIndex: number },
      limit: number
    ) => Effect.Effect<ReadonlyArray<Utterance>>
  }
>()("pipeline/retrieval/Transcript") {}
