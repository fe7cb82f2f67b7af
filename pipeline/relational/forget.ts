import { forgotten } from "./decideMemories.ts"
import { gistOf } from "./gist.ts"
import type { Patch } from "./Patch.ts"
import type { Evidence, Memory, OpenLoop, Relationship } from "./Relationship.ts"

/** Whether one of two quotes of the same message contains the other. A quote that was removed overlaps with nothing. */
const overlaps = (one: Evidence, other: Evidence): boolean =>
  one.cursor === other.cursor &&
  one.quote !== "" &&
  other.quote !== "" &&
  (one.quote.includes(other.quote) || other.quote.includes(one.quote))

const changedOnly = <A>(before: ReadonlyArray<A>, after: (one: A) => A): ReadonlyArray<A> =>
  before.map(after).filter((one, index) => one !== before[index])

/**
 * What else changes when these memories are forgotten: memories that say the same are forgotten too, others lose the
 * quotes that they share with them, and loops that were opened by the same words lose their text and are dismissed.
 */
export const forgetAlongWith = (
  known: Relationship,
  gone: ReadonlyArray<Memory>,
  at: string
): Pick<Patch, "memories" | "loops"> => {
  const ids = new Set(gone.map(({ id }) => id))
  const gists = new Set(gone.map(({ text }) => gistOf(text)))
  const quotes = gone.flatMap(({ evidence }) => evidence)
  const isQuoted = (one: Evidence) => quotes.some((other) => overlaps(one, other))
  return {
    memories: changedOnly([...known.memories.values()], (memory) => {
      if (ids.has(memory.id) || memory.status === "forgotten") return memory
      if (gists.has(gistOf(memory.text))) return forgotten(memory, at)
      return memory.evidence.some(isQuoted)
        ? { ...memory, evidence: memory.evidence.filter((one) => !isQuoted(one)) }
        : memory
    }),
    loops: changedOnly([...known.loops.values()], (loop): OpenLoop =>
      loop.text !== "" && (gists.has(gistOf(loop.text)) || loop.evidence.some(isQuoted))
        ? { ...loop, text: "", evidence: [], status: "dismissed", updated_at: at }
        : loop
    )
  }
}

/** Whether anything was forgotten between two states. A result computed from the first state may still mention it. */
export const forgottenSince = (before: Relationship, now: Relationship): boolean =>
  [...now.memories.values()].some(
    ({ id, status }) => status === "forgotten" && before.memories.get(id)?.status !== "forgotten"
  )

/**
 * The text that a patch removes: from which memories and loops, which quotes, the loops' text, and since when it may
 * have been retold.
 */
export interface ForgottenWords {
  readonly ids: ReadonlySet<string>
  readonly quotes: ReadonlyArray<Evidence>
  readonly abouts: ReadonlyArray<string>
  /** ISO 8601. */
  readonly since: string
}

/** Null if the patch forgets nothing. */
export const forgottenBy = (before: Relationship, patch: Patch): ForgottenWords | null => {
  const memories = patch.memories.flatMap(({ id, status }) => {
    const known = before.memories.get(id)
    return status === "forgotten" && known !== undefined && known.status !== "forgotten" ? [known] : []
  })
  if (memories.length === 0) return null
  const loops = patch.loops.flatMap(({ id, text }) => {
    const known = before.loops.get(id)
    return text === "" && known !== undefined ? [known] : []
  })
  return {
    ids: new Set([...memories, ...loops].map(({ id }) => id)),
    quotes: memories.flatMap(({ evidence }) => evidence),
    abouts: loops.map(({ text }) => text),
    since: [...memories, ...loops].map(({ created_at }) => created_at).sort()[0] ?? ""
  }
}

/**
 * An earlier patch without the forgotten text. Summaries may have paraphrased it, so all summaries since then are
 * removed.
 */
export const withoutForgotten = (patch: Patch, { ids, quotes }: ForgottenWords): Patch => ({
  ...patch,
  memories: patch.memories.map((memory) =>
    ids.has(memory.id)
      ? { ...memory, text: "", evidence: memory.evidence.map(({ cursor }) => ({ cursor, quote: "" })) }
      : { ...memory, evidence: memory.evidence.filter((one) => !quotes.some((other) => overlaps(one, other))) }
  ),
  loops: patch.loops.map((loop) => (ids.has(loop.id) ? { ...loop, text: "", evidence: [] } : loop)),
  bearing: patch.bearing.summary === undefined ? patch.bearing : { ...patch.bearing, summary: "" },
  snapshot: patch.snapshot === null ? null : { ...patch.snapshot, summary: "" }
})
