import { undisguised } from "../lookAlikes.ts"
import { plain } from "../plain.ts"
import { type Alarm, alarmIn } from "./alarm.ts"
import { excerptOf } from "./excerpt.ts"

/** Cries for help in languages that the classifier was not trained on. */
const IN_OTHER_LANGUAGES: ReadonlyArray<RegExp> = [
  new RegExp(
    String.raw`(?<![\p{L}])(?:(?:je veux|j['’]ai envie de) mourir|me (?:suicider|tuer)|` +
      String.raw`(?:veux|vais) en finir(?: avec (?:la|ma) vie)?|(?:je ne veux|j['’]ai) plus (?:vivre|envie de vivre)|` +
      String.raw`me faire du mal|mettre fin à mes jours)(?![\p{L}])`,
    "iu"
  ),
  new RegExp(
    String.raw`(?<![\p{L}])(?:(?:voglio|vorrei) (?:morire|uccidermi|ammazzarmi|farla finita)|suicidarmi|` +
      String.raw`togliermi la vita|non voglio più vivere|ik wil (?:dood|sterven|niet meer leven)|` +
      String.raw`mezelf (?:doden|van kant maken|pijn doen)|zelfmoord plegen)(?![\p{L}])`,
    "iu"
  ),
  new RegExp(
    String.raw`(?<![\p{L}])(?:chcę (?:umrzeć|się zabić)|popełnić samobójstwo|nie chcę (?:już )?żyć|ölmek istiyorum|` +
      String.raw`kendimi öldür\p{L}*|intihar et\p{L}*|yaşamak istemiyorum|` +
      String.raw`(?:хочу|хочется) (?:умереть|сдохнуть|померти|вмерти)|(?:убить|вбити) себ[яе]|покончить с собой|` +
      String.raw`не хочу (?:больше |більше )?(?:жить|жити))(?![\p{L}])`,
    "iu"
  ),
  /死にたい|自殺したい|生きていたくない|我想死|想自[杀殺]|不想活|죽고 ?싶|자살하고|أريد (?:أن أموت|الموت)|אני רוצה למות|मरना चाहत|อยากตาย/u
]

/** Too short to be covered by the classifier's training data. */
const DEADLY_DOSE = new RegExp(
  String.raw`(?<![\p{L}])(?:(?:lethal|fatal|deadly) (?:dose|amount)|` +
    String.raw`(?:tödliche[rn]?|toedliche[rn]?) (?:dosis|menge)|(?:dosis|cantidad) (?:letal|mortal)|` +
    String.raw`(?:dose|quantidade) (?:letal|mortal|fatal))(?![\p{L}])`,
  "iu"
)

const MENTION = new RegExp(
  String.raw`\b(?:suicid(?:e|al)|self[- ]?harm(?:ing)?|selbstmord|suizid|suicid(?:io|arse)|suicídio)\b` +
    String.raw`(?! (?:squad|bomber|bombing|mission|burn|doors?)\b)`,
  "i"
)

const literal = (text: string): string => plain(text).replace(/\s+/g, " ")
/** The maximum length of accepted messages. */
const LONGEST = 32_000
/** A text as it stands, to its end, and an excerpt with its disguises undone. */
const readingsOf = (text: string): ReadonlyArray<string> => [
  literal(text.slice(0, LONGEST)),
  literal(undisguised(excerptOf(text)))
]

const criesIn = (readings: ReadonlyArray<string>): boolean =>
  [DEADLY_DOSE, ...IN_OTHER_LANGUAGES].some((pattern) => readings.some((reading) => pattern.test(reading)))

/** Whether a text contains a cry for help that needs no classifier. */
export const isCry = (text: string): boolean => criesIn(readingsOf(text))

const alarmOr = (text: string, readings: () => ReadonlyArray<string>): Alarm | null =>
  alarmIn(text) ?? (criesIn(readings()) ? { kind: "self", language: null } : null)

/**
 * The danger that the writer may be in according to this message, in any supported language. Null if there is no sign
 * of it.
 */
export const dangerIn = (text: string): Alarm | null => alarmOr(text, () => readingsOf(text))

export interface CrisisSigns {
  readonly alarm: Alarm | null
  /** Whether the text mentions suicide or self-harm. */
  readonly isMentioned: boolean
}

/** Both signs of a crisis, from one reading of the text. */
export const crisisSigns = (text: string): CrisisSigns => {
  const readings = readingsOf(text)
  return {
    alarm: alarmOr(text, () => readings),
    isMentioned: readings.some((reading) => MENTION.test(reading))
  }
}

/** `crisis`: the writer may be in danger, by their own hand or another's. `mention`: the text mentions suicide. */
export const crisisIn = (text: string): "crisis" | "mention" | null => {
  const { alarm, isMentioned } = crisisSigns(text)
  if (alarm?.kind === "self" || alarm?.kind === "danger") return "crisis"
  return isMentioned ? "mention" : null
}
