import { rotate } from "#pipeline/domain/seed.ts"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import { forbiddenIn } from "#pipeline/emission/forbidden.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import { languageAmong, languageOfTag } from "#pipeline/languages.ts"
import { needsGentleness } from "#pipeline/proactive/mood.ts"
import { contentRefusal, opensAsBefore } from "#pipeline/proactive/contentGates.ts"
import { contentOf } from "#pipeline/retrieval/contentWords.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { type Candidate, citesOf } from "./candidates.ts"
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

const RESUMES: Readonly<Record<string, ReadonlyArray<string>>> = {
  de: [
    "Ich habe noch an unser letztes Gespräch gedacht.",
    "Das von neulich geht mir noch nach.",
    "Es eilt nicht. Ich habe nur an dich gedacht."
  ],
  es: [
    "Sigo pensando en nuestra última charla.",
    "Me quedé con lo último que escribiste.",
    "Sin prisa. Solo me acordé de ti."
  ],
  pt: [
    "Ainda estou a pensar na nossa última conversa.",
    "Fiquei com o que escreveste.",
    "Sem pressa. Só me lembrei de ti."
  ]
}
const RESUMES_GENTLY: Readonly<Record<string, ReadonlyArray<string>>> = {
  de: [
    "Ich denke an dich. Du musst nicht antworten.",
    "Ich bin da, wenn du reden magst, oder auch nicht.",
    "Nimm dir alle Zeit, die du brauchst."
  ],
  es: [
    "Pienso en ti. No hace falta que respondas.",
    "Aquí estoy, para hablar o para callar.",
    "Tómate todo el tiempo que necesites."
  ],
  pt: [
    "Estou a pensar em ti. Não precisas de responder.",
    "Estou aqui, para falar ou para estar em silêncio.",
    "Leva o tempo que precisares."
  ]
}
const LANGUAGES = ["en", "de", "es", "pt"]

/** The language that the person last wrote in, or else that of the voice. */
const languageIn = ({ turn, history }: WriteRequest): string => {
  const voice = turn.character.voice.languages.map(languageOfTag).filter((language) => LANGUAGES.includes(language))
  const among = voice.length > 0 ? voice : LANGUAGES
  const texts = history.filter(({ role }) => role === "user").map(({ text }) => text)
  return (
    texts
      .toReversed()
      .map((text) => languageAmong(text, among))
      .find((language) => language !== null) ??
    voice[0] ??
    "en"
  )
}

const isAbout = (about: string) => {
  const words = new Set(contentOf(terms(about)))
  return ({ quote, subject, value }: Fact): boolean =>
    contentOf(terms(`${subject} ${value} ${quote}`)).some((word) => words.has(word))
}

const line = (text: string, slots: Slots, cites: ReadonlyArray<string>, own: boolean): Omit<Candidate, "score"> => ({
  line: text,
  slots,
  cites,
  own,
  answersQuestion: false,
  deflects: false
})

/**
 * What the character writes first: it asks about what is due or about something told a while ago, or else it brings up
 * a topic of its own. It never opens like one of its last ten messages. Null: everything would be a repetition.
 */
export const proactiveReply = (
  request: WriteRequest,
  { reason, about: named, avoid, welcome = [], mood }: ProactiveBrief
): { readonly line: string; readonly cites: ReadonlyArray<string> } | null => {
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
    ...rotate(lines.follow_up, seed).map((text) => line(text, slotsOf(fact, facts), citesOf(fact), false)),
    ...rotate(OWN_LINES.follow_up, seed).map((text) => line(text, slotsOf(fact, facts), citesOf(fact), true))
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
  // Nothing that is still to come is brought up: it has a time of its own.
  const waiting = request.retrieved.loops.map(({ text }) => isAbout(text))
  const earlier = openLoops(facts, NOW, (name) => said.some((text) => text.includes(name)))
    .filter((fact) => fact.topic !== "event" && !waiting.some((isWaiting) => isWaiting(fact)))
    .flatMap(askAfter)
  const kept = (kind: "resume" | "resume_gently", own: ReadonlyArray<string>) => [
    ...rotate(lines[kind], seed).map((text) => line(text, {}, [], false)),
    ...rotate(own, seed).map((text) => line(text, {}, [], true))
  ]
  const ofItsOwn = rotate([...anytime, ...lines.topic], seed).map((text) => line(text, {}, [], false))
  const plain = rotate(OWN_LINES.topic, seed).map((text) => line(text, {}, [], true))
  // Sometimes it asks, sometimes it tells. Topics that the person welcomes come first.
  const wanted = new Set(contentOf(terms(welcome.join(" "))))
  const isWelcome = ({ line, slots }: Omit<Candidate, "score">) =>
    contentOf(terms([line, ...Object.values(slots)].join(" "))).some((word) => wanted.has(word))
  const free = seed % 2 === 0 ? [...earlier, ...ofItsOwn] : [...ofItsOwn, ...earlier]
  const asFits = [...free.filter(isWelcome), ...free.filter((candidate) => !isWelcome(candidate)), ...plain]
  const gentle = kept("resume_gently", RESUMES_GENTLY[languageIn(request)] ?? OWN_LINES.resume_gently)
  const resumed = kept("resume", RESUMES[languageIn(request)] ?? OWN_LINES.resume)
  const candidates = [
    ...(needsGentleness(mood) ? gentle : due),
    ...(due.length > 0 || needsGentleness(mood)
      ? []
      : reason === "session_resume"
        ? [...resumed, ...asFits.filter(({ line }) => !line.includes("?"))]
        : asFits)
  ]

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
