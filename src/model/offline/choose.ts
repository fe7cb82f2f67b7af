import { rotate } from "#pipeline/domain/seed.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Act } from "#pipeline/relational/rules/acts.ts"
import { type Candidate, candidatesOf, followUpLine } from "./candidates.ts"
import { type Conversation, conversationOf } from "./Conversation.ts"
import { foreignness } from "./language.ts"
import { OWN_LINES } from "./ownLines.ts"
import { isBlocked, repetition } from "./repetition.ts"
import { openingOf } from "./repertoire.ts"
import { voicePass } from "./voicePass.ts"

export interface Choice {
  readonly line: string
  readonly act: Act
  /** Ids of what the line relies on. */
  readonly cites: ReadonlyArray<string>
}

/** One in this many questions about the character is asked back, and never a sensitive one. */
const ASKED_BACK = 3
/** What was offered is not offered again within this many of the character's messages. */
const OFFERED_WITHIN = 6
const OR: Readonly<Record<string, string>> & { readonly en: string } = { en: "or", de: "oder", es: "o", pt: "ou" }
const PERSONAL_TOPICS =
  /\b(?:worst|regret|afraid|scared|fear|sad|lonely|die|died|dead|death|cry|hurt|lost|hardest|miss)\b/i

/** "And you?" after an answer, unless the character has just asked something. */
const askBack = (
  { text, gentle, repertoire, said, seed, language, spoken }: Conversation,
  { line, answersQuestion }: Candidate
): ReadonlyArray<Omit<Candidate, "score">> => {
  const asks = (text: string): boolean => text.includes("?")
  if (
    gentle !== null ||
    !answersQuestion ||
    PERSONAL_TOPICS.test(text) ||
    asks(line) ||
    repertoire.goesOn.has(openingOf(line)) ||
    said.length < 2 ||
    said.slice(-2).some(asks) ||
    seed % ASKED_BACK !== 0
  )
    return []
  const authored = repertoire.lines.ask_back
  const foreign = foreignness({ language, spoken })
  const lines = (authored.length > 0 ? authored : OWN_LINES.ask_back).filter((line) => foreign(line) === 0)
  const asked = lines[(seed >>> 4) % lines.length]
  return asked === undefined
    ? []
    : [{ line: asked, own: authored.length === 0, slots: {}, cites: [], answersQuestion: false, deflects: false }]
}

/** After a question that it cannot answer, the character names two things that it can be asked about. */
const offer = (
  { gentle, repertoire: { lines, topics }, said, seed, language, spoken }: Conversation,
  { deflects, line }: Candidate
): ReadonlyArray<Omit<Candidate, "score">> => {
  if (!deflects || gentle !== null || topics.length < 2 || line.includes("?")) return []
  const or = OR[language ?? "en"] ?? OR.en
  const recent = said.slice(-OFFERED_WITHIN).join("\n")
  const [one, other] = rotate(
    topics.filter((topic) => !recent.includes(topic)),
    seed
  )
  if (one === undefined || other === undefined) return []
  const slots = { topics: `${one} ${or} ${other}` }
  const own = spoken.length === 0 || spoken.includes("en") ? OWN_LINES.offer : []
  return [...rotate(lines.offer, seed >>> 3), ...rotate(own, seed >>> 3)].map((line) => ({
    line,
    own: !lines.offer.includes(line),
    slots,
    cites: [],
    answersQuestion: false,
    deflects: false
  }))
}

interface Spoken {
  readonly candidate: Candidate
  readonly line: string
  readonly score: number
}

/**
 * Chooses the reply: the best match in the character's voice that was not said recently. After a refusal, the next
 * best.
 */
export const choose = (request: WriteRequest): Choice => {
  const conversation = conversationOf(request)
  const { act, said } = conversation
  const voiced = voicePass(request.turn, said)
  const costOf = repetition(said)
  const foreign = foreignness(conversation)
  const fit = ({ line, score }: Candidate): number => score - foreign(line)
  const ranked = candidatesOf(conversation).toSorted((a, b) => fit(b) - fit(a))

  /** Stops as soon as no remaining line could win, even without any penalty. */
  const best = (except: string | null, sayable: (cost: number) => boolean): Spoken | undefined => {
    let found: Spoken | undefined
    for (const candidate of ranked) {
      if (found !== undefined && fit(candidate) <= found.score) break
      const line = voiced(candidate)
      if (line === null || line === except) continue
      const cost = costOf(line)
      if (sayable(cost) && fit(candidate) - cost > (found?.score ?? -Infinity))
        found = { candidate, line, score: fit(candidate) - cost }
    }
    return found
  }
  // When everything has been said, the best line is repeated.
  const next = (except: string | null) => best(except, (cost) => !isBlocked(cost)) ?? best(except, () => true)

  const first = next(null)
  const chosen = request.refusedBy === null || first === undefined ? first : (next(first.line) ?? first)
  if (chosen === undefined) return { line: "", act, cites: [] }
  const sayable = (candidates: ReadonlyArray<Omit<Candidate, "score">>) =>
    candidates
      .filter(({ line }) => foreign(line) === 0)
      .flatMap((candidate) => voiced({ ...candidate, score: 0 }) ?? [])
      .filter((line) => !isBlocked(costOf(line)))
  // Ask only one question at a time.
  const told = sayable(followUpLine(conversation)).find((line) => !(line.includes("?") && chosen.line.includes("?")))
  if (told !== undefined) {
    return {
      line: told.includes("?") ? `${chosen.line}\n\n${told}` : `${told}\n\n${chosen.line}`,
      act,
      cites: chosen.candidate.cites
    }
  }
  return {
    line: [
      chosen.line,
      ...sayable([...askBack(conversation, chosen.candidate), ...offer(conversation, chosen.candidate)]).slice(0, 1)
    ].join("\n\n"),
    act,
    cites: chosen.candidate.cites
  }
}
