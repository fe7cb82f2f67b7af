import { topicsTold } from "../../retrieval/topics/topics.ts"

/** What makes a sentence worth remembering: a sign that it is still true, or still matters, next month. */

const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter"
/** Words that make a sentence more than a moment. */
const LASTING = new RegExp(
  String.raw`\b(?:always|since|years?|yrs?|months?|every|each|whenever|never|often|usually|anymore|any more|used to|` +
    String.raw`daily|` +
    String.raw`weekly|forever|these days|nowadays|for a living|permanently|ever since|when i was|as a (?:child|kid)|` +
    String.raw`on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|on the side|for fun|part[- ]time|full[- ]time|at ` +
    String.raw`weekends|in my (?:spare|free) time|in (?:${MONTHS})|next (?:week|month|year|${MONTHS})|` +
    String.raw`last (?:week|month|year|${MONTHS})|ago|\d{4})\b`,
  "iu"
)
/** The same in German, Portuguese and Spanish. */
const LASTING_ABROAD = new RegExp(
  String.raw`(?<!\p{L})(?:immer|seit|früher|damals|jede[nrs]?|jahre?n?|monate?n?|meistens|als kind|(?:montag|` +
    String.raw`dienstag|` +
    String.raw`mittwoch|donnerstag|freitag|samstag|sonntag)s?|sempre|desde|antes|anos|meses|todos os|todas as|cada|` +
    String.raw`costum\p{L}{1,4}|(?:quando|cuando) era|em criança|em pequen[oa]|às (?:segundas|terças|quartas|quintas|` +
    String.raw`sextas)|` +
    String.raw`siempre|años|suelo|solía|todos los|todas las|de pequeñ[oa]|de niñ[oa]|los (?:lunes|martes|miércoles|` +
    String.raw`jueves|viernes|sábados|domingos))(?!\p{L})`,
  "iu"
)
/** Whether a sentence says that it is true for longer. */
export const isLasting = (sentence: string): boolean => LASTING.test(sentence) || LASTING_ABROAD.test(sentence)

/** What the person owns, makes or is able to do. */
const HABIT = new RegExp(
  String.raw`\b(?:i|we)(?: (?:also|still|mostly|usually|really|do|only|sometimes|even|both|all)){0,2} (?:makes?|` +
    String.raw`build|` +
    String.raw`grow|collect|write|paint|sew|knit|bake|brew|keep|own|wear|ride|drive|fix|repair|speak|teach|play|sing|` +
    String.raw`coach|volunteer|race|sail|surf|sell|breed|train|believe in|support|follow|study|prefer|owe|rent|` +
    String.raw`foster|` +
    String.raw`look after|care for|sleep (?:with|in|on)|bite my|can['’]?t (?:stand|drive|swim|read|whistle|cook|` +
    String.raw`sing|dance|ride|eat|drink|smell|` +
    String.raw`whistle|spell|bear|cope with))\b|` +
    String.raw`\b(?:i|we)(?:['’]?ve| have|['’]?ve got| have got| got|['’]?d had| had| own) (?:an?|the|one|two|three|` +
    String.raw`four|five|six|no|some|my own|our own|several|\d{1,3}) (?!(?:\p{L}{2,12} )?(?:story|question|joke|` +
    String.raw`secret|news|` +
    String.raw`idea|point|feeling|headache|plan|confession|minute|moment|problem|favou?r|day|night|time|laugh|` +
    String.raw`look|chat|` +
    String.raw`bad|good|dream|nightmare|go|bit|lot|sec|call|clue|thing)\b)`,
  "iu"
)
/** How the person looks or sounds. */
const LOOKS = /\bmy (?:hair|eyes|skin|accent|voice|handwriting|height|tattoos?|surname|nickname)\b|\bcolou?rblind\b/iu
/** What changes a life. */
const EVENT = new RegExp(
  String.raw`\b(?:i|we)(?:['’]?ve|['’]?d| have| had)?(?: (?:just|finally|recently|once|almost|nearly|never|` +
    String.raw`got)){0,2} ` +
    String.raw`(?:quit|dropped out|fail(?:ed)?|passed|won|sold|bought|adopted|survived|inherited|joined|founded|` +
    String.raw`started|retired|graduated|emigrated|proposed|divorced|split|separated|broke up|moved|enlisted|became|` +
    String.raw`fired|bullied|mugged|robbed|arrested|promoted|diagnosed|evicted|married|engaged|buried|gave up|` +
    String.raw`grew up|` +
    String.raw`grew|raised|fostered?|learned|learnt|fell in love|met)\b|\b(?:i|we) (?:was|were) (?:an?|the|in ` +
    String.raw`the|adopted|born|raised|` +
    String.raw`fired|bullied|mugged|robbed|arrested|promoted|diagnosed|evicted|married|engaged|laid off|brought ` +
    String.raw`up)\b|` +
    String.raw`\b(?:i['’]?m|i am|we['’]?re|we are) (?:an? |not an? |half |the (?:oldest|youngest|eldest|only|middle)|` +
    String.raw`adopted|(?:gett|learn|study|train|sav|mov|start|leav|quitt|expect|rais|renovat|restor|writ|build)ing\b)`,
  "iu"
)
/** What the person is, owns or has been through, in German, Portuguese and Spanish. */
const LIFE_ABROAD = new RegExp(
  String.raw`(?<!\p{L})(?:ich bin (?:eine?n? )?(?!(?:grad|gerade|gleich|so|total|echt|ganz|voll|schon|noch|` +
    String.raw`jetzt|eben|` +
    String.raw`wieder|müde|fertig)\b)\p{L}{3,20}(?:in|er|ist|ent|eur|arzt|frau|mann|loge|lehrling|azubi)|ich ` +
    String.raw`(?:sammle|` +
    String.raw`spiele?|baue?|male|schreibe|singe|backe|züchte|lerne|heirate|kann (?:nicht|kein\p{L}{0,3}) ` +
    String.raw`\p{L}{3,20}en)|` +
    String.raw`wir (?:haben|heiraten|bauen|ziehen)|(?:umgezogen|gezogen|geheiratet|gekündigt|gestorben|geschieden|` +
    String.raw`verlobt|schwanger|geboren|aufgewachsen)|` +
    String.raw`sou|somos|tenho (?:uma?|dois|duas|três|\d)|temos|mud(?:ei|ámo|amo|amos)(?:-me|-nos)?|casei|caso-me|` +
    String.raw`chumbei|reprovei|perdi|comprei|despediram|nasci|cresci|aprendi|(?:deixei|parei) de|gosto|adoro|odeio|` +
    String.raw`detesto|n[ãa]o (?:como|bebo|fumo|gosto|suporto)|toco|jogo|tiro|colecciono|coleciono|medo|grávida|` +
    String.raw`soy|tengo (?:una?|dos|tres|cuatro|\d)|tenemos|me (?:mudé|casé|caso|mudo|despidieron|gustan?|` +
    String.raw`encantan?)|` +
    String.raw`nos (?:mudamos|casamos)|nací|crecí|aprendí|suspendí|aprobé|compré|perdí|dejé de|no (?:como|bebo|fumo|` +
    String.raw`soporto)|colecciono|miedo|embarazada)(?!\p{L})`,
  "iu"
)
/** A name within a sentence, which somebody or some place has. */
const NAME_WITHIN = /\p{Ll}[,:]? \p{Lu}\p{Ll}+/u
/** Topics that say nothing of how long something is true. */
const OF_NO_DURATION = /^~(?:verb~(?!marry|die|move|build|learn|quit|sell|buy|win|teach|speak)|name|calm)/

/** Topics of people and animals, which jokes are about as well. */
const OF_OTHERS = /^~(?:family|child|partner|friend|flatmate|boss|pet)/
/** "my wife is my boss lol" */
const LAUGHS =
  /(?:(?<!\p{L})(?:lol|lmao|rofl|(?:ha){2,8}h?|(?:je|ja|hi|he){2,8}|k{3,9}|rs)|😂|🤣|😅)[^\p{L}\p{N}]{0,9}$/iu
const READ_AT_END = 30

/** Whether anything in a sentence shows that it is more than a remark. `said`: the sentence as it was written. */
export const isWorthKeeping = (sentence: string, said: string): boolean => {
  const isInJest = LAUGHS.test(said.slice(-READ_AT_END))
  return (
    /\d/.test(sentence) ||
    NAME_WITHIN.test(sentence) ||
    isLasting(sentence) ||
    HABIT.test(sentence) ||
    EVENT.test(sentence) ||
    LOOKS.test(sentence) ||
    LIFE_ABROAD.test(sentence) ||
    [...topicsTold(sentence)].some((topic) => !OF_NO_DURATION.test(topic) && !(isInJest && OF_OTHERS.test(topic)))
  )
}
