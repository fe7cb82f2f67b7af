import { SUBJECT } from "./factPatterns.ts"

/** Signs by which the rules for facts tell sentences apart. */

export const FIRST_PERSON = new RegExp(
  String.raw`\b(?:i|i['’]?m|i['’]ve|ive|i['’]d|i['’]ll|my|mine|we|we['’]re|we['’]ve|our|me and)\b|` +
    String.raw`(?<!\p{L})` +
    String.raw`(?:ich|mein(?:e[mnrs]?)?|mir|mich|wir|unsere?|eu|meus?|minhas?|nós|nosso|nossa|yo|mi|mis|nuestr[oa]|` +
    String.raw`chamo-me|sou|moro|vivo|tenho|gosto|adoro|trabalho|me llamo)(?!\p{L})`,
  "iu"
)
/** "they offered me a job" */
export const THEY_GAVE_ME = new RegExp(
  String.raw`^they (?:have |['’]ve |finally |just ){0,2}(?:offered|gave|fired|promoted|hired|accepted|rejected|` +
    String.raw`diagnosed|` +
    String.raw`transferred|evicted|operated on|took|turned) (?:me|us|my|our)\b`,
  "iu"
)
/** "needles make me faint": what something does to the person. */
export const DOES_TO_ME = new RegExp(
  String.raw`^(?!(?:it|that|this|these|those|he|she|they|you|what|which|nothing|everything|something|someone|god)\b)` +
    String.raw`(?:\p{L}{2,20} ){1,4}(?:makes?|gives?|scares?|terrif(?:y|ies)|frightens?|calms?|helps?|keeps?|bores?|` +
    String.raw`annoys?|upsets?|relax(?:es)?|fascinates?) me\b`,
  "iu"
)
export const ADDRESSED = /\b(?:you|your|yours|u|ur)\b/iu
export const TO_THE_CHARACTER = /^(?:you|your|you['’]re|youre|ur|u|du|dein|deine|tu|você|tú|usted) /iu
/** Nobody says more about themselves in one message than this many characters. */
export const READ_CHARS = 1000
export const MAX_QUOTE_CHARS = 240
export const UNQUOTABLE = /[<>{}[\]|\\@#*_`]|:\/\/|www\./
export const QUOTES = /["“”„«»]/gu

/** "My dog isn't called Rex": the extracted name is wrong. */
export const NOT_NAMED = new RegExp(
  String.raw`\b(?:my|our) (?:name|${SUBJECT}(?:'s name)?) (?:isn't|isnt|is not|was not|wasn't)` +
    String.raw`(?: called| named)? (\p{L}[\p{L}'-]*)`,
  "iu"
)
/** What is said about things must be more than a remark. */
export const DEFINITE = /\d|\b(?:on|in|at|called|named|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/iu
export const IT = /^(?:it|its)(?=['’ ])/iu
export const STARTS_WITH_A_NAME =
  /^(\p{Lu}\p{Ll}+)(?:['’]s)? (?:is|was|has|had|just|doesn|can|isn|never|always|turned|\p{Ll}+s |\p{Ll}+ed |\d)/u
export const AGED = /^(\p{L}+)(?:['’]s| is| just turned| turned| turns) \d/iu
/** "we met in Hull": the person and someone who was just spoken of. */
export const WE_TWO = new RegExp(
  String.raw`^we(?:['’]?ve)? (?:first |only |finally |never |have |had )?(?:met|been (?:together|married)|` +
    String.raw`were (?:together|married)|got (?:together|married|engaged|divorced)|married|split|broke up|divorced|` +
    String.raw`known|knew|lived|moved|live|separated)\b`,
  "iu"
)
/** "there's a pony called Bramble" */
export const THERE = /^there(?:['’]?s|['’]?re| is| are) /iu
export const ITS_MINE = /^it['’]?s (?:my|our) /iu
