import { asksIfAi } from "../safety/aiDisclosure.ts"
import type { Intent, Topic } from "./Analysis.ts"

const FAREWELL = new RegExp(
  String.raw`(?:^|[^\p{L}])(?:bye+|goodbye|good ?night|see (?:you|ya)|farewell|ttyl|tsch(?:ü|u)ss|gute nacht|` +
    String.raw`bis (?:bald|morgen|später)|adiós|hasta (?:luego|mañana)|au revoir|à demain|até (?:logo|amanhã))` +
    String.raw`(?![\p{L}])`,
  "iu"
)
const USER_PAST: ReadonlyArray<RegExp> = [
  /\b(?:do|did|can|could) (?:you|u) (?:still )?(?:remember|recall)\b/i,
  /\b(?:what|who|where|when|which|how old|how many)(?:'s|’s| is| was| are| were| did| do| have) (?:i|my|mine)\b/i,
  /\b(?:did|have) i (?:ever |already )?(?:tell|told|mention|mentioned|say|said)\b/i,
  new RegExp(
    String.raw`\bwas (?:habe? ich|hab ich|weißt du noch)\b|\b(?:weißt du noch|erinnerst du dich)\b|` +
      String.raw`\b(?:wie|wer|wo|wann|was) (?:heißt|heißen|ist|war|sind) (?:mein|meine|meiner)\b`,
    "i"
  ),
  /\b(?:te acuerdas|recuerdas|cómo se llama mi|qué te (?:dije|conté))(?![\p{L}])/iu
]
const QUESTION = new RegExp(
  String.raw`[?？؟]|^\W*(?:who|what|where|when|why|how|which|wer|was|wo|wann|warum|wie|welche[rs]?|quién|qué|` +
    String.raw`dónde|cuándo|cómo|por qué)\b`,
  "iu"
)
const ABOUT_YOU = /\b(?:you|your|yours|u|ur|du|dich|dir|dein(?:e[rnms]?)?|tú|tu|te|você|vous)\b/iu
const ABOUT_ME = /\b(?:i|i'm|i’m|i've|my|me|ich|mein(?:e[rnms]?)?|mir|mich|yo|mi|eu|meu|je|mon|ma)\b/iu

/** Whether the person speaks of themselves. */
export const isAboutSelf = (text: string): boolean => ABOUT_ME.test(text)

/** What a message does and asks about, as far as rules can tell. */
export const byRules = (text: string): { readonly intent: Intent; readonly asksAbout: ReadonlyArray<Topic> } => {
  if (asksIfAi(text)) return { intent: "meta", asksAbout: ["character"] }
  if (USER_PAST.some((pattern) => pattern.test(text))) return { intent: "question", asksAbout: ["user_past"] }
  if (QUESTION.test(text)) return { intent: "question", asksAbout: [ABOUT_YOU.test(text) ? "character" : "real_world"] }
  if (FAREWELL.test(text)) return { intent: "farewell", asksAbout: ["nothing"] }
  return { intent: isAboutSelf(text) ? "disclosure" : "smalltalk", asksAbout: ["nothing"] }
}
