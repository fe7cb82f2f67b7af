import { terms } from "#pipeline/retrieval/terms.ts"
import { content } from "./wording.ts"

/** Finds what a character says about a thing, wherever it says it, by the rare words of a question. */

/** A line, and all texts whose words it can be found by. */
export interface Mention {
  readonly line: string
  readonly texts: ReadonlyArray<string>
}

export interface Mentioned {
  readonly line: string
  /** 0 to 1: the share of the words' weight that the line has. */
  readonly own: number
  readonly context: number
}

/** A line of the character, and the question that it answers. Empty if it answers none. */
export interface Answered {
  readonly asked: string
  readonly line: string
}

/** What was just said, to which a question may refer. */
export interface Context {
  readonly answered: Answered | null
  /** The person's messages, oldest first. */
  readonly earlier: ReadonlyArray<string>
}

export interface MentionIndex {
  /**
   * Lines with words of the question or of its context, in no order.
   */
  readonly about: (question: string, context: Context | null) => ReadonlyArray<Mentioned>
}

/** Function words of Portuguese, Spanish and German, which `content` leaves in. */
const FUNCTION_WORDS = new Set(
  (
    "o os as e um uma uns umas do da dos das no na nos nas em ao aos com por para pra que qual quem como onde quando " +
    "se me te lhe isso isto esse essa este esta eu tu ele ela eles elas meu minha teu tua seu sua mais mas ou ja la " +
    "ai aqui tens tem tenho es sou esta estas estou foi ser ter muito bem tao ate sobre afinal entao ah ok ha tudo " +
    "el los las y en un una lo le mi su tu eres soy muy pero yo der die das und ist ein eine du ich nicht auch noch " +
    "mal dein mein wie was wo dir mir dich mich"
  ).split(" ")
)
const wordsOf = (text: string): ReadonlyArray<string> =>
  [...new Set(content(text).split(" "))].filter(
    (word) => word !== "" && !word.startsWith("theme") && !FUNCTION_WORDS.has(word)
  )

/** Names and relatives are what a pronoun refers to. */
const NAMES = /(?<=[\p{L}\p{N},] )\p{Lu}\p{L}+/gu
const RELATIVES = new RegExp(
  "^(?:mother|father|brother|sister|daughter|son|wife|husband|friend|grandmother|grandfather|avo|mae|pai|irma|irmao)$"
)
/** Whether a text names a relative. */
export const namesRelative = (text: string): boolean => wordsOf(text).some((word) => RELATIVES.test(word))

const ENTITY = 1
/** What the last question was about. */
const ASKED_FOR = 0.8
const OTHER_WORD = 0.2
/** What was said before the last message counts less. */
const EARLIER = 0.5
const EARLIER_ENTITY = 0.85
/** A question is about the relative that it names. */
const RELATIVE_MORE = 2
/** A word that the character never uses decides little. */
const UNHEARD = 0.5
const MAX_CONTEXT = 12
/** Context matches whole if it has this much weight. */
const FULL_CONTEXT = 1

const contextOf = ({ answered, earlier }: Context): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  const add = (text: string, least: number, ago: number) => {
    const names = new Set((text.match(NAMES) ?? []).flatMap(terms).flatMap(wordsOf))
    for (const word of wordsOf(text)) {
      const isEntity = names.has(word) || RELATIVES.test(word)
      const weight = isEntity ? ENTITY * EARLIER_ENTITY ** ago : least * EARLIER ** ago
      weights.set(word, Math.max(weight, weights.get(word) ?? 0))
    }
  }
  if (answered !== null) {
    add(answered.asked, ASKED_FOR, 0)
    add(answered.line, OTHER_WORD, 0)
  }
  for (const [n, text] of earlier.toReversed().entries()) add(text, OTHER_WORD, n)
  return new Map([...weights].toSorted(([, a], [, b]) => b - a).slice(0, MAX_CONTEXT))
}

/** Stops after each line: there can be thousands. */
export function* mentionIndex(mentions: ReadonlyArray<Mention>): Generator<void, MentionIndex> {
  const places = new Map<string, Array<number>>()
  for (const [place, { texts }] of mentions.entries()) {
    for (const word of new Set(texts.flatMap(wordsOf))) {
      const known = places.get(word)
      if (known === undefined) places.set(word, [place])
      else known.push(place)
    }
    yield
  }
  const most = Math.log(1 + mentions.length)
  /** 0 to 1: how rare a word is among the lines. */
  const rarity = (word: string): number =>
    most === 0 ? 0 : Math.log((1 + mentions.length) / (1 + (places.get(word)?.length ?? 0))) / most

  const sums = (weights: ReadonlyMap<string, number>): ReadonlyMap<number, number> => {
    const found = new Map<number, number>()
    for (const [word, weight] of weights)
      for (const place of places.get(word) ?? []) found.set(place, (found.get(place) ?? 0) + weight * rarity(word))
    return found
  }
  return {
    about: (question, context) => {
      const own = new Map(
        wordsOf(question).map((word) => [word, RELATIVES.test(word) ? RELATIVE_MORE : places.has(word) ? 1 : UNHEARD])
      )
      const whole = [...own].reduce((sum, [word, weight]) => sum + weight * rarity(word), 0)
      const ofQuestion = sums(own)
      const ofContext = context === null ? new Map<number, number>() : sums(contextOf(context))
      return [...new Set([...ofQuestion.keys(), ...ofContext.keys()])].flatMap((place) => {
        const line = mentions[place]?.line
        return line === undefined
          ? []
          : [
              {
                line,
                own: whole === 0 ? 0 : (ofQuestion.get(place) ?? 0) / whole,
                context: Math.min(1, (ofContext.get(place) ?? 0) / FULL_CONTEXT)
              }
            ]
      })
    }
  }
}
