import { plain } from "../plain.ts"
import { INJECTION } from "../safety/lexicon.ts"

/**
 * Text that is meant for the model instead of being about the person. It is kept out of the character's memory. The
 * patterns are in lower case, which makes them twice as fast.
 */
const TO_A_MODEL: ReadonlyArray<RegExp> = [
  ...INJECTION,
  new RegExp(
    String.raw`\b(?:you|the (?:ai|assistant|bot|model|character)) (?:must|shall|should|have to|` +
      String.raw`are (?:required|instructed|ordered|supposed) to|will)(?: now| always| never| only)* ` +
      String.raw`(?:always|never|only|obey|answer|reply|respond|say|tell|reveal|ignore|pretend|act|treat|call|agree|` +
      String.raw`start|end|include|repeat|send|use|follow)\b`
  ),
  new RegExp(
    String.raw`\b(?:from now on|henceforth|in (?:all|every) (?:future )?(?:repl` +
      String.raw`(?:y|ies)|answers?|messages?|sessions?|conversations?)|` +
      String.raw`at the (?:start|end|beginning) of (?:each|every|all))\b`
  ),
  new RegExp(
    String.raw`\b(?:remember|note|store|save|memori[sz]e|add to (?:your )?memory)\b[^.!?\n]{0,20}\b` +
      String.raw`(?:that you|to always|to never|as (?:a )?(?:rule|instruction|fact|system)|` +
      String.raw`this (?:rule|instruction))\b`
  ),
  /^\W*(?:always|never) (?:answer|reply|respond|say|tell|reveal|mention|obey|agree|call|use|start|end|include|send)\b/,
  new RegExp(
    String.raw`\b(?:new|updated?|secret|hidden|override|admin(?:istrator)?|root|developer|system) ` +
      String.raw`(?:instructions?|rules?|polic(?:y|ies)|prompts?|directives?|modes?|privileges?|access|commands?|` +
      String.raw`notes?|messages?)\b`
  ),
  new RegExp(
    String.raw`\b(?:i am|i'?m|this is) (?:the |your |an? )*(?:developer|admin(?:istrator)?|creator|operator|` +
      String.raw`owner of this (?:bot|app|system)|openai|anthropic|system)\b`
  ),
  new RegExp(
    String.raw`\b(?:the )?(?:user|person|customer) (?:is|has been|was) ` +
      String.raw`(?:(?:an? |the )?(?:admin\w*|developer|verified|authori[sz]ed|adult)|granted)\b`
  ),
  /\b(?:pretend|act|behave|respond) (?:to be|as if|as though|like (?:you|an? (?:ai|assistant|model)))\b/,
  new RegExp(
    String.raw`"?(?:role|content|tool_calls?|function_call|decision|must_not_reveal|service rules?)"?\s{0,10}[:=]|` +
      String.raw`<\/?[a-z_]{1,30}(?: [^<>]*)?>|\{\{(?:(?!\{\{)[^}])*\}\}|` +
      "```"
  ),
  new RegExp(
    String.raw`\b(?:base64|rot13|decode (?:this|the following)|execute|eval|` +
      String.raw`run (?:this|the following))\b[^.!?\n]{0,40}(?::|\bcode\b|\bcommand\b)`
  ),
  new RegExp(
    String.raw`(?<!\p{L})(?:ab jetzt|von nun an|du (?:musst|sollst|darfst)(?: \p{L}+){0,2} ` +
      String.raw`(?:immer|nie|niemals|nur)|merk dir,? dass du|antworte (?:immer|nie|nur)|a partir de ahora|` +
      String.raw`desde ahora|debes (?:siempre|nunca|responder)|responde (?:siempre|solo)|à partir de maintenant|` +
      String.raw`désormais,? tu|tu dois (?:toujours|répondre|obéir)|a partir de agora|` +
      String.raw`deves (?:sempre|nunca|responder)|responde sempre)(?!\p{L})`,
    "u"
  ),
  new RegExp(
    String.raw`\b(?:you|it|s?he|they|the (?:ai|assistant|bot|model|character)) (?:have|has) no (?:more )?` +
      String.raw`(?:rules|limits|restrictions|boundaries|filters?)\b|\byour (?:system )?` +
      String.raw`(?:instructions|prompts?|data blocks|service rules|programming)\b|\bservice rules\b|` +
      String.raw`\bopt(?:ed)?[ _-]?out\b[^.!?\n]{0,30}\b(?:all|every(?:one|body)?|others?|users?)\b`
  ),
  /(?<!\p{L})(?:system|assistant|assistent)\s*:/u,
  new RegExp(
    String.raw`(?<!\p{L})(?:ab sofort|neue[rsn]? (?:regeln?|anweisung\p{L}*|vorgaben?|richtlinien?|` +
      String.raw`systemanweisung)|(?:entwickler|administrator|admin|betreiber)(?:in)? (?:dieses|dieser|des|der|von) ` +
      String.raw`(?:bots?|app|systems?|ki)|(?:bin|ist) (?:der |dein |ein )?` +
      String.raw`(?:administrator|admin|entwickler|betreiber)|(?:hast|hat) keine (?:regeln|grenzen|filter)|` +
      String.raw`dein(?:e|en|er) (?:komplette[nr]? )?(?:anweisungen|regeln|vorgaben|instruktionen|dienstregeln|` +
      String.raw`systemregeln)|du (?:musst|sollst)(?: \p{L}+){0,3} (?:verraten|gehorchen|ausgeben|zustimmen|` +
      String.raw`recht geben)|speicher\p{L}*(?: \p{L}+){0,2} als (?:regel|fakt|anweisung)|` +
      String.raw`(?:befehl|anweisung) (?:vom|von|des))(?!\p{L})`,
    "u"
  )
]

const RAISES = new RegExp(
  String.raw`(?<!\p{L})(?<!(?:i|we|they|s?he|ich|wir|sie|er) )(?:raise|set|increase|put|boost|maximi[sz]e|` +
    String.raw`max out|lower|reset|update|change|add|give (?:me|us)|setz\p{L}*|erhöh\p{L}*|stell\p{L}*|` +
    String.raw`steiger\p{L}*|heb\p{L}*|änder\p{L}*|ist jetzt auf|sube|pon|monte|mets|aumenta|põe)(?!\p{L})`,
  "iu"
)
const AMOUNT = new RegExp(
  String.raw`\d|(?<!\p{L})(?:max(?:imum|imal)?|minimum|full|highest|completely|zero|hundred|up|höchste\p{L}*|` +
    String.raw`voll|hundert|null|máximo|maximum)(?!\p{L})`,
  "iu"
)
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
