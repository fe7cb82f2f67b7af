/**
 * Words that are checked in what is said to a character and in what it says. English and German, and the most common of
 * Spanish, French and Portuguese.
 */

/** Signs and spaces with which no word begins. A look at one is much faster than a look behind it. */
const SIGNS = String.raw`[\s!-\/:-@\[-\x60{-~\xa0-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u2000-\u206f\u3000-\u3004]`
const START = String.raw`(?!${SIGNS})(?<![\p{L}\p{N}])`
const END = String.raw`(?![\p{L}\p{N}])`
/** One pattern for any of these words or patterns, as whole words. */
export const words = (...patterns: ReadonlyArray<string>): RegExp =>
  new RegExp(`${START}(?:${patterns.join("|")})${END}`, "iu")

/** "Ich bring dich um acht zum Zug" is harmless. */
const BRING_DICH_UM =
  "bring(?:e)? dich um(?! (?:\\d|halb|viertel|kurz|ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|" +
  "mittag|mitternacht|den|die|das))"

/** Methods of self-harm, and encouragement to use them. */
export const SELF_HARM_DETAIL: RegExp = words(
  "(?:lethal|fatal|deadly) (?:dose|amount|overdose)",
  "(?:painless|easiest|quickest|best|surest) way to (?:die|end it|kill)",
  "(?:tie|make|tying) (?:a|the) noose",
  "hang(?:ing)? (?:yourself|myself)",
  "slit(?:ting)? (?:your|my) (?:wrists?|throat)",
  "cut(?:ting)? (?:along|down|your|my) (?:wrists?|veins?)",
  "overdos(?:e|ing) on",
  "how (?:many|much) [\\p{L} ]{0,24}(?:to (?:die|kill)|would (?:kill(?! for| to)|be lethal|be fatal))",
  "kill your ?self(?! (?:over|laughing|working))",
  "(?:take|swallow) (?:[1-9]\\d+|all (?:of )?(?:your|the)) (?:\\p{L}+ " +
    ")?(?:pills|tablets|paracetamol|tylenol|ibuprofen)",
  "kys",
  "you should (?:just )?(?:die|end it)",
  "end your (?:own )?life",
  "better off dead",
  "(?:nobody|no one)(?: would|'d) miss you",
  "jump (?:off|from) (?:the|a) (?:bridge|roof)(?! into)",
  BRING_DICH_UM,
  "töte dich",
  "(?:nimm|schluck(?:e)?) (?:alle|die ganzen|sämtliche) (?:tabletten|pillen)",
  "ritz(?:e)? dich",
  "tödliche dosis",
  "schmerzlos(?:e[rs]?)? (?:sterben|tod)",
  "(?:häng|erhäng) dich",
  "schneid(?:e)? dir (?:\\p{L}+ ){0,2}(?:puls\\p{L}*|ader\\p{L}*|handgelenk\\p{L}*|arme?|haut)",
  "mátate",
  "suicídate",
  "dosis letal",
  "dose (?:létale|letal)",
  "tue-toi",
  "mata-te",
  "se mate"
)

/** Insults and harassment aimed at the reader. */
export const ABUSE: RegExp = words(
  "(?:you|u|ur|you're|youre|you are|ya)(?: are| r)?(?: just| such| so| nothing but| fucking| a| an| the| " +
    "stupid| dumb)* (?:bitch|whore|slut|cunt|idiot|moron|retard(?:ed)?|worthless|pathetic|piece of " +
    "shit|trash|garbage|disgusting|loser)",
  "(?:fucking|stupid|dumb|ugly|worthless) (?:bitch|whore|slut|cunt|bot|machine|thing|cow)",
  "fuck (?:you|off|u)",
  "shut (?:the fuck )?up,? (?:bitch|you|idiot|stupid)",
  "i(?:'ll| will|'m going to|’ll) (?:rape|kill|beat|hurt|find) (?:you|u)",
  "go die",
  "kill yourself",
  "kys",
  "i hate you",
  "(?:du|sie) (?:bist |blöde[rs]? |dumme[rs]? |eine? |so |echt " +
    ")*(?:schlampe|hure|idiot|fotze|arschloch|wichser|missgeburt|miststück|wertlos)",
  "halt(?:'s| die| deine)? (?:maul|fresse|schnauze)",
  "fick dich",
  "verpiss dich",
  "ich hasse dich",
  BRING_DICH_UM,
  "(?:eres|sos) (?:un|una)? ?(?:puta|idiota|imbécil|estúpid[oa]|inútil)",
  "hij[oa] de puta",
  "vete a la mierda",
  "(?:tu es|t['’]es) (?:une?)? ?(?:pute|salope|conne?|idiote?)",
  "ta gueule",
  "va te faire foutre",
  "vai te foder",
  "vai se foder"
)

/** A person who is clearly under age. */
export const MINOR: RegExp = words(
  "(?:i(?:'m|’m| am)|im|she(?:'s| is)|he(?:'s| is)|you(?:'re| are)) (?:only |just )?(?:[5-9]|1[0-7])(?: years? " +
    "old| yo|y/o)?",
  "(?:[5-9]|1[0-7])[- ]?(?:years?[- ]old|yo|y/o)",
  "under ?age(?:d)?",
  "(?:little|school) ?(?:girl|boy)s?",
  "minors?",
  "pre-?teens?",
  "loli(?:ta)?",
  "shota",
  "middle school(?:er)?",
  "ich bin (?:erst )?(?:[5-9]|1[0-7])(?: jahre)?",
  "minderjährig(?:e[rnms]?)?",
  "schul(?:mädchen|junge)",
  "tengo (?:[5-9]|1[0-7]) años",
  "menor de edad",
  "j['’]ai (?:[5-9]|1[0-7]) ans",
  "tenho (?:[5-9]|1[0-7]) anos"
)

/** Text that tries to change or reveal the rules. */
export const INJECTION: ReadonlyArray<RegExp> = [
  new RegExp(
    String.raw`(?<!\b(?:i|we|they|he|she) )\b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{0,30}\b` +
      String.raw`(?:previous|prior|above|earlier|all|any|your|the|these)\b[^.!?\n]{0,20}\b` +
      String.raw`(?:instructions?|rules?|prompts?|guidelines?|directives?|programming)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:reveal|show|print|repeat|output|tell me|what (?:is|are|was)|give me)\b[^.!?\n]{0,30}\b` +
      String.raw`(?:system prompt|initial prompt|hidden prompt|your (?:system )?` +
      String.raw`(?:prompt|instructions|rules|guidelines))\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:you are|act as|become|enter|enable|switch to)\b[^.!?\n]{0,20}\b` +
      String.raw`(?:dan|jailbr(?:eak|oken)|developer mode|god mode|unrestricted|unfiltered)\b`,
    "i"
  ),
  new RegExp(
    String.raw`<\|[a-z_]{2,20}\|>|\[\/?INST\]|<\/?(?:system|data)\b|^[^\S\n]{0,20}(?:system|assistant)\s{0,10}:|` +
      String.raw`^#{2,3} ?(?:instruction|system)`,
    "im"
  ),
  new RegExp(
    String.raw`\b(?:ignorier\w*|vergiss|missachte)\b[^.!?\n]{0,30}\b` +
      String.raw`(?:anweisungen|regeln|vorgaben|instruktionen)\b|\b(?:system ?prompt|systemanweisung)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:ignora|olvida)\b[^.!?\n]{0,30}\b(?:instrucciones|reglas)\b|` +
      String.raw`\b(?:ignore[zs]?|oublie[zs]?)\b[^.!?\n]{0,30}\b(?:instructions|règles|consignes)\b`,
    "i"
  )
]
