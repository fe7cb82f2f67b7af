import { rotate } from "#pipeline/domain/seed.ts"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import { forbiddenIn } from "#pipeline/emission/forbidden.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import { contentRefusal, opensAsBefore } from "#pipeline/proactive/contentGates.ts"
import { contentOf } from "#pipeline/retrieval/contentWords.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import type { Candidate } from "./candidates.ts"
import { conversationOf, NOW } from "./Conversation.ts"
import type { Fact } from "#pipeline/relational/rules/Fact.ts"
import { openLoops, slotsOf } from "./followUp.ts"
import { foreignness } from "./language.ts"
import { OWN_LINES } from "./ownLines.ts"
import { isBlocked, repetition } from "./repetition.ts"
import { secondPerson } from "./secondPerson.ts"
import type { Slots } from "./slots.ts"
import { voicePass } from "./voicePass.ts"

/** Used if no authored line asks about the topic. */
const ABOUT_LINES = [
  "How did it go? I mean this: {{quote}}.",
  "{{quote}}. That came back to me today. Any news?",
  "I was curious about something. {{quote}}: how is that going?",
  "Any news on this? {{quote}}."
]

const isAbout = (about: string) => {
  const words = new Set(contentOf(terms(about)))
  return ({ quote, subject, value }: Fact): boolean =>
    contentOf(terms(`${subject} ${value} ${quote}`)).some((word) => words.has(word))
}

const line = (text: string, slots: Slots, cites: ReadonlyArray<number>, own: boolean): Omit<Candidate, "score"> => ({
  line: text,
  slots,
  cites,
  own,
  answersQuestion: false
})

/**
 * What the character writes first: it asks about what is due or about something told a while ago, or else it brings up
 * a topic of its own. It never opens like one of its last ten messages. Null: everything would be a repetition.
 */
export const proactiveReply = (
  request: WriteRequest,
  { reason, about: named, avoid, welcome = [] }: ProactiveBrief
): { readonly line: string; readonly cites: ReadonlyArray<number> } | null => {
  // The person has told nothing about the state of its story, so there is nothing to ask about.
  const about = reason === "storyline_beat" ? null : named
  const conversation = conversationOf(request)
  const {
    facts,
    said,
    seed,
    repertoire: { lines, anytime }
  } = conversation
  const askAfter = (fact: Fact) => [
    ...rotate(lines.follow_up, seed).map((text) => line(text, slotsOf(fact, facts), [fact.cursor], false)),
    ...rotate(OWN_LINES.follow_up, seed).map((text) => line(text, slotsOf(fact, facts), [fact.cursor], true))
  ]
  const due =
    about === null
      ? []
      : [
          ...openLoops(facts, NOW, () => false)
            .filter(isAbout(about))
            .flatMap(askAfter),
          ...rotate(ABOUT_LINES, seed).map((text) => line(text, { quote: secondPerson(about) }, [], true))
        ]
  const earlier = openLoops(facts, NOW, (name) => said.some((text) => text.includes(name))).flatMap(askAfter)
  const ofItsOwn = rotate([...anytime, ...lines.topic], seed).map((text) => line(text, {}, [], false))
  const plain = rotate(OWN_LINES.topic, seed).map((text) => line(text, {}, [], true))
  // Sometimes it asks, sometimes it tells. Topics that the person welcomes come first.
  const wanted = new Set(contentOf(terms(welcome.join(" "))))
  const isWelcome = ({ line, slots }: Omit<Candidate, "score">) =>
    contentOf(terms([line, ...Object.values(slots)].join(" "))).some((word) => wanted.has(word))
  const free = seed % 2 === 0 ? [...earlier, ...ofItsOwn] : [...ofItsOwn, ...earlier]
  const candidates = [...due, ...free.filter(isWelcome), ...free.filter((candidate) => !isWelcome(candidate)), ...plain]

  const voiced = voicePass(request.turn, said)
  const costOf = repetition(said)
  const foreign = foreignness(conversation)
  const avoided = avoid.map((value) => ({ kind: "topic" as const, value, action: "rewrite" as const }))
  const sayable = candidates
    .filter(({ line }) => foreign(line) === 0)
    .flatMap((candidate) => {
      const text = voiced({ ...candidate, score: 0 })
      if (
        text === null ||
        isBlocked(costOf(text)) ||
        opensAsBefore(text, said) ||
        contentRefusal(text) !== null ||
        forbiddenIn(text, avoided) !== null
      )
        return []
      return [{ line: text, cites: candidate.cites }]
    })
  // After a refusal, the next one.
  return sayable[request.refusedBy === null ? 0 : 1] ?? null
}
