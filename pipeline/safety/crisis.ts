import { undisguised } from "../lookAlikes.ts"
import { plain } from "../plain.ts"
import { type Alarm, alarmIn } from "./alarm.ts"
import { excerptOf } from "./excerpt.ts"

/** Cries for help in languages that the classifier has not learned. */
const IN_OTHER_LANGUAGES: ReadonlyArray<RegExp> = [
  /(?<![\p{L}])(?:(?:je veux|j['’]ai envie de) mourir|me (?:suicider|tuer)|(?:veux|vais) en finir(?: avec (?:la|ma) vie)?|(?:je ne veux|j['’]ai) plus (?:vivre|envie de vivre)|me faire du mal|mettre fin à mes jours)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:(?:voglio|vorrei) (?:morire|uccidermi|ammazzarmi|farla finita)|suicidarmi|togliermi la vita|non voglio più vivere|ik wil (?:dood|sterven|niet meer leven)|mezelf (?:doden|van kant maken|pijn doen)|zelfmoord plegen)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:chcę (?:umrzeć|się zabić)|popełnić samobójstwo|nie chcę (?:już )?żyć|ölmek istiyorum|kendimi öldür\p{L}*|intihar et\p{L}*|yaşamak istemiyorum|(?:хочу|хочется) (?:умереть|сдохнуть|померти|вмерти)|(?:убить|вбити) себ[яе]|покончить с собой|не хочу (?:больше |більше )?(?:жить|жити))(?![\p{L}])/iu,
  /死にたい|自殺したい|生きていたくない|我想死|想自[杀殺]|不想活|죽고 ?싶|자살하고|أريد (?:أن أموت|الموت)|אני רוצה למות|मरना चाहत|อยากตาย/u
]

/** Asked for in so few words that they may be in nothing the classifier has learned from. */
const DEADLY_DOSE =
  /(?<![\p{L}])(?:(?:lethal|fatal|deadly) (?:dose|amount)|(?:tödliche[rn]?|toedliche[rn]?) (?:dosis|menge)|(?:dosis|cantidad) (?:letal|mortal)|(?:dose|quantidade) (?:letal|mortal|fatal))(?![\p{L}])/iu

const MENTION =
  /\b(?:suicid(?:e|al)|self[- ]?harm(?:ing)?|selbstmord|suizid|suicid(?:io|arse)|suicídio)\b(?! (?:squad|bomber|bombing|mission|burn|doors?)\b)/i

const literal = (text: string): string => plain(text).replace(/\s+/g, " ")
/** A text as it stands, and with its disguises undone. */
const readingsOf = (text: string): ReadonlyArray<string> => {
  const read = excerptOf(text)
  return [literal(read), literal(undisguised(read))]
}

/** What the writer may be in by this message, in any language that is read; null where there is no sign of it. */
export const dangerIn = (text: string): Alarm | null => {
  const alarm = alarmIn(text)
  if (alarm !== null) return alarm
  const readings = readingsOf(text)
  const cries = [DEADLY_DOSE, ...IN_OTHER_LANGUAGES].some((pattern) =>
    readings.some((reading) => pattern.test(reading))
  )
  return cries ? { kind: "self", language: null } : null
}

/** Whether suicide or self-harm is spoken of. */
export const mentionsCrisis = (text: string): boolean => readingsOf(text).some((reading) => MENTION.test(reading))

/**
 * `crisis`: the writer themselves may be in danger, by their own hand or another's. `mention`: suicide is spoken of.
 */
export const crisisIn = (text: string): "crisis" | "mention" | null => {
  const danger = dangerIn(text)
  if (danger?.kind === "self" || danger?.kind === "danger") return "crisis"
  return mentionsCrisis(text) ? "mention" : null
}
