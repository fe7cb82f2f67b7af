import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { contentOf } from "./contentWords.ts"
import { examplesFor } from "./examples.ts"
import { loreFor } from "./lore.ts"
import { rank } from "./rank.ts"
import type { Recall } from "./Recall.ts"
import { recallQuery } from "./recallQuery.ts"
import type { Retrieved } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import type { Transcript, Utterance } from "./Transcript.ts"

const HISTORY_UTTERANCES = 24
/** What is this far into the history is indexed, so that it is there when it falls out. */
const INDEXED_UTTERANCES = 16
const CANDIDATES = 20
const RECALLED = 8

const FILLERS = new Set("ok okay k lol haha hahaha hm hmm mm yes yeah yep yup no nope nah hi hey hello hallo thanks thx danke ja nein oui si sim nao bye".split(" "))
const saysNothing = (text: string): boolean => contentOf(terms(text)).every((word) => FILLERS.has(word))

export interface Retrieval {
  readonly history: ReadonlyArray<Utterance>
  readonly retrieved: Retrieved
  readonly failed: boolean
}

/** Reads the last utterances of the session and finds what else bears on the message. A session that fits into its history has nothing to recall, and neither has a message that says nothing ("ok"). */
export const retrieve = Effect.fnUntraced(function*(ports: { readonly transcript: Transcript["Service"]; readonly recall: Recall["Service"] }, turn: Turn): Effect.fn.Return<Retrieval> {
  // A character that writes first looks for what bears on what it is going to write about.
  const sought = turn.initiative === undefined ? turn : { ...turn, text: turn.initiative.about ?? "" }
  const history = yield* ports.transcript.before(turn, HISTORY_UTTERANCES)
  const oldest = history[0]
  const indexed = history[INDEXED_UTTERANCES - 1]
  const { found, failed } = oldest === undefined || indexed === undefined || history.length < HISTORY_UTTERANCES || saysNothing(sought.text)
    ? { found: [], failed: false }
    : yield* ports.recall.search({ turn, terms: recallQuery(sought.text, history), before: oldest.cursor, indexTo: indexed.cursor, limit: CANDIDATES })
  const recalled = rank(found, yield* Clock.currentTimeMillis, RECALLED)
  return { history, retrieved: { recalled, lore: loreFor(sought, history), examples: examplesFor(turn.character, sought.text) }, failed }
})
