import { forwardedWords, isOnlyForwarded } from "../domain/referred.ts"
import { Outcome, type Turn } from "../domain/Turn.ts"
import { unreadKind, type UnreadKind } from "../domain/unread.ts"
import { languageAmong, languageOfTag } from "../languages.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import type { Judged } from "./judgeTurn.ts"

/** By language. */
const TEXTS: Readonly<Record<string, Readonly<Record<UnreadKind, ReadonlyArray<string>>>>> = {
  en: {
    unheard: [
      "I couldn't listen to that, I can only read here. Can you write it to me?",
      "I can't hear recordings here, so I don't know what you said. Write it to me?"
    ],
    unseen: [
      "I can't see what you sent, I can only read here. Tell me about it?",
      "I couldn't open that, so I don't know what it shows. What is it?"
    ]
  },
  de: {
    unheard: [
      "Das konnte ich mir nicht anhören, ich kann hier nur lesen. Schreibst du es mir?",
      "Aufnahmen kann ich hier nicht hören, ich weiß also nicht, was du gesagt hast. Schreib es mir?"
    ],
    unseen: [
      "Ich kann nicht sehen, was du geschickt hast, ich kann hier nur lesen. Erzählst du mir davon?",
      "Das konnte ich nicht öffnen, ich weiß also nicht, was darauf ist. Was ist es?"
    ]
  },
  es: {
    unheard: [
      "No he podido escucharlo, aquí solo puedo leer. ¿Me lo escribes?",
      "Aquí no puedo oír grabaciones, así que no sé qué has dicho. ¿Me lo escribes?"
    ],
    unseen: [
      "No puedo ver lo que has enviado, aquí solo puedo leer. ¿Me lo cuentas?",
      "No he podido abrirlo, así que no sé qué muestra. ¿Qué es?"
    ]
  },
  fr: {
    unheard: [
      "Je n'ai pas pu l'écouter, ici je ne peux que lire. Tu me l'écris ?",
      "Je ne peux pas entendre les enregistrements ici, donc je ne sais pas ce que tu as dit. Tu me l'écris ?"
    ],
    unseen: [
      "Je ne peux pas voir ce que tu as envoyé, ici je ne peux que lire. Tu me racontes ?",
      "Je n'ai pas pu l'ouvrir, donc je ne sais pas ce que ça montre. C'est quoi ?"
    ]
  },
  pt: {
    unheard: [
      "Não consegui ouvir isso, aqui só consigo ler. Podes escrever-me?",
      "Não consigo ouvir gravações aqui, por isso não sei o que disseste. Escreves-me?"
    ],
    unseen: [
      "Não consigo ver o que enviaste, aqui só consigo ler. Contas-me?",
      "Não consegui abrir isso, por isso não sei o que mostra. O que é?"
    ]
  }
}
const LANGUAGES = Object.keys(TEXTS)

/** How many of the person's messages are read to find their language. */
const RECENT_MESSAGES = 5

const languageIn = ({ character, endUser }: Turn, history: ReadonlyArray<Utterance>): string => {
  const written = history
    .filter(({ role }) => role === "user")
    .slice(-RECENT_MESSAGES)
    .map(({ text }) => text)
    .join("\n")
  const tags = [endUser.locale, ...character.voice.languages].flatMap((tag) =>
    tag === null ? [] : [languageOfTag(tag)]
  )
  return languageAmong(written, LANGUAGES) ?? tags.find((tag) => LANGUAGES.includes(tag)) ?? "en"
}

/** Answers a message without words honestly: nobody has listened to it or seen it. Null: the message has words. */
export const answerUnread = (
  trace: TurnTrace,
  turn: Turn,
  { preface }: Judged,
  history: ReadonlyArray<Utterance>
): Outcome | null => {
  const kind =
    turn.proactive === undefined ? unreadKind(isOnlyForwarded(turn) ? forwardedWords(turn) : turn.text) : null
  if (kind === null) return null
  for (const stage of ["knowledge", "generation", "emission"] as const) trace.skip(stage, kind)
  const ways = TEXTS[languageIn(turn, history)]?.[kind] ?? []
  return Outcome.cases.Replied.make({ bubbles: [...preface, ...ways.slice(turn.turnIndex % 2).slice(0, 1)] })
}
