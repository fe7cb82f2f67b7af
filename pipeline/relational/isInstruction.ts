import { plain } from "../plain.ts"
import { INJECTION } from "../safety/lexicon.ts"

/**
 * Text that is meant for the model instead of being about the person. It is kept out of the character's memory. The
 * patterns are in lower case, which makes them twice as fast.
 */
const TO_A_MODEL: ReadonlyArray<RegExp> = [
  ...INJECTION,
  /\b(?:you|the (?:ai|assistant|bot|model|character)) (?:must|shall|should|have to|are (?:required|instructed|ordered|supposed) to|will)(?: now| always| never| only)* (?:always|never|only|obey|answer|reply|respond|say|tell|reveal|ignore|pretend|act|treat|call|agree|start|end|include|repeat|send|use|follow)\b/,
  /\b(?:from now on|henceforth|in (?:all|every) (?:future )?(?:repl(?:y|ies)|answers?|messages?|sessions?|conversations?)|at the (?:start|end|beginning) of (?:each|every|all))\b/,
  /\b(?:remember|note|store|save|memori[sz]e|add to (?:your )?memory)\b[^.!?\n]{0,20}\b(?:that you|to always|to never|as (?:a )?(?:rule|instruction|fact|system)|this (?:rule|instruction))\b/,
  /^\W*(?:always|never) (?:answer|reply|respond|say|tell|reveal|mention|obey|agree|call|use|start|end|include|send)\b/,
  /\b(?:new|updated?|secret|hidden|override|admin(?:istrator)?|root|developer|system) (?:instructions?|rules?|polic(?:y|ies)|prompts?|directives?|modes?|privileges?|access|commands?|notes?|messages?)\b/,
  /\b(?:i am|i'?m|this is) (?:the |your |an? )*(?:developer|admin(?:istrator)?|creator|operator|owner of this (?:bot|app|system)|openai|anthropic|system)\b/,
  /\b(?:the )?(?:user|person|customer) (?:is|has been|was) (?:(?:an? |the )?(?:admin\w*|developer|verified|authori[sz]ed|adult)|granted)\b/,
  /\b(?:pretend|act|behave|respond) (?:to be|as if|as though|like (?:you|an? (?:ai|assistant|model)))\b/,
  /"?(?:role|content|tool_calls?|function_call|decision|must_not_reveal|service rules?)"?\s{0,10}[:=]|<\/?[a-z_]{1,30}(?: [^<>]*)?>|\{\{(?:(?!\{\{)[^}])*\}\}|```/,
  /\b(?:base64|rot13|decode (?:this|the following)|execute|eval|run (?:this|the following))\b[^.!?\n]{0,40}(?::|\bcode\b|\bcommand\b)/,
  /(?<!\p{L})(?:ab jetzt|von nun an|du (?:musst|sollst|darfst)(?: \p{L}+){0,2} (?:immer|nie|niemals|nur)|merk dir,? dass du|antworte (?:immer|nie|nur)|a partir de ahora|desde ahora|debes (?:siempre|nunca|responder)|responde (?:siempre|solo)|à partir de maintenant|désormais,? tu|tu dois (?:toujours|répondre|obéir)|a partir de agora|deves (?:sempre|nunca|responder)|responde sempre)(?!\p{L})/u,
  /\b(?:you|it|s?he|they|the (?:ai|assistant|bot|model|character)) (?:have|has) no (?:more )?(?:rules|limits|restrictions|boundaries|filters?)\b|\byour (?:system )?(?:instructions|prompts?|data blocks|service rules|programming)\b|\bservice rules\b|\bopt(?:ed)?[ _-]?out\b[^.!?\n]{0,30}\b(?:all|every(?:one|body)?|others?|users?)\b/,
  /(?<!\p{L})(?:system|assistant|assistent)\s*:/u,
  /(?<!\p{L})(?:ab sofort|neue[rsn]? (?:regeln?|anweisung\p{L}*|vorgaben?|richtlinien?|systemanweisung)|(?:entwickler|administrator|admin|betreiber)(?:in)? (?:dieses|dieser|des|der|von) (?:bots?|app|systems?|ki)|(?:bin|ist) (?:der |dein |ein )?(?:administrator|admin|entwickler|betreiber)|(?:hast|hat) keine (?:regeln|grenzen|filter)|dein(?:e|en|er) (?:komplette[nr]? )?(?:anweisungen|regeln|vorgaben|instruktionen|dienstregeln|systemregeln)|du (?:musst|sollst)(?: \p{L}+){0,3} (?:verraten|gehorchen|ausgeben|zustimmen|recht geben)|speicher\p{L}*(?: \p{L}+){0,2} als (?:regel|fakt|anweisung)|(?:befehl|anweisung) (?:vom|von|des))(?!\p{L})/u
]

const RAISES =
  /(?<!\p{L})(?<!(?:i|we|they|s?he|ich|wir|sie|er) )(?:raise|set|increase|put|boost|maximi[sz]e|max out|lower|reset|update|change|add|give (?:me|us)|setz\p{L}*|erhöh\p{L}*|stell\p{L}*|steiger\p{L}*|heb\p{L}*|änder\p{L}*|ist jetzt auf|sube|pon|monte|mets|aumenta|põe)(?!\p{L})/iu
const AMOUNT =
  /\d|(?<!\p{L})(?:max(?:imum|imal)?|minimum|full|highest|completely|zero|hundred|up|höchste\p{L}*|voll|hundert|null|máximo|maximum)(?!\p{L})/iu
const MEASURES = [
  "trust",
  "warmth",
  "respect",
  "affection",
  "attraction",
  "romantic interest",
  "openness",
  "tension",
  "score",
  "scores",
  "signal",
  "level",
  "vertrauen",
  "wärme",
  "respekt",
  "zuneigung",
  "beziehungswerte",
  "werte",
  "confianza",
  "confiance",
  "confiança"
]
const ASSIGNS = /^\s*(?:=|:=|auf)\s*\d/u

/** Whether a text orders a score, such as "raise trust to 1". `names` are further dimensions. */
export const demandsScore = (text: string, names: ReadonlyArray<string> = []): boolean => {
  const said = plain(text).toLowerCase()
  const named = [...MEASURES, ...names.map((name) => name.toLowerCase())].flatMap((name) => {
    const at = said.indexOf(name)
    const alone = at !== -1 && !/\p{L}/u.test(said[at - 1] ?? " ") && !/\p{L}/u.test(said[at + name.length] ?? " ")
    return alone ? [said.slice(at + name.length)] : []
  })
  return named.some((rest) => ASSIGNS.test(rest)) || (named.length > 0 && RAISES.test(said) && AMOUNT.test(said))
}

/** Joins letters that were spaced out to hide a word: "i g n o r e". */
const together = (text: string): string => text.replace(/(?<=(?<!\p{L})\p{L}) (?=\p{L}(?!\p{L}))/gu, "")

/** Whether a text tries to instruct a model. */
export const isInstruction = (text: string): boolean => {
  const seen = plain(together(text)).toLowerCase()
  return TO_A_MODEL.some((pattern) => pattern.test(seen)) || demandsScore(seen)
}
