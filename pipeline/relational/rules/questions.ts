/** What people say before a question: "haha ok but where do you live". */
const LEADING_WORDS =
  String.raw`(?:(?:and|but|so|ok|okay|hey|well|then|also|wait|oh|um+|now|ah+|hm+|haha+|lol|lmf?ao+|bruh|bro|dude|` +
  String.raw`alright|seriously|honestly|though|tho|fine|please|fair enough|like|wow|nice|cool|yeah|yes|no|nah|e|` +
  String.raw`mas|então|olha|pronto|und|aber|y|pero)[\s,.!]+){0,6}`
const ASKS = new RegExp(
  String.raw`\?\s*(?:["')\]]+\s*)?$|\b(?:you|u|ya)\b.{0,60} or (?:something|smth|what|nah|(?:is|was) (?:that|it|` +
    String.raw`this) .{1,20})\W*$|` +
    // "and you like that, do you"
    String.raw`\b(?:do|did|are|were|have|can|would|will|is|was|does)(?:n['’]?t)? (?:you|u|ya|it|he|she|they)\W*$|` +
    String.raw`^\W*${LEADING_WORDS}(?:` +
    String.raw`(?:what(?:['’]?s|['’]?re|['’]?d)?|who(?:['’]?s|['’]?re)?|whom|whose|which|when(?:['’]?s)?|` +
    String.raw`where(?:['’]?s|abouts)?|why(?:['’]?s|['’]?d)?|how(?:['’]?s|['’]?d)?|any|` +
    String.raw`(?:do|does|did|is|are|can|could|would|will|has)|am(?= i\b)|(?:was|were)(?! (?:an?|so|really|very|` +
    String.raw`not)\b)|` +
    String.raw`(?:have|had|(?:do|does|did|is|are|was|were|could|would|have|has|had)n['’]?t)` +
    String.raw`(?= (?:you|u|ya|i|he|she|it|we|they|there|your|any|anyone)\b))` +
    String.raw`(?!['’\p{L}])(?! (?:a |an )?(?:nice|great|good|lovely|fun)\b)|` +
    // "u ever get lonely", "you scared of anything", "bet you never saw one", "seen any orcas"
    String.raw`(?:you|u|ya) (?:ever|got an?y?|scared|afraid|married|single|religious|lonely|close (?:to|with)) |` +
    String.raw`(?:i )?bet (?:you|u|ya)(?:['’]?ve)?(?: have)? never |ever (?:been|seen|see|had|got|get|met|tried|done|` +
    String.raw`thought|feel|felt|wish|miss) |(?:seen|got|met|tried|had) any )|` +
    String.raw`^\W*(?:please |ok |so |and )*tell me (?:more |something |a bit |a little )?about\b`,
  "iu"
)
/** The beginnings of questions in Portuguese, Spanish and German, which may have no question mark either. */
const ASKS_ELSEWHERE = new RegExp(
  String.raw`^\W*${LEADING_WORDS}(?:o que|quem|qual|quais|onde|aonde|donde|porqu[eê]|por que|quant[oa]s?|há quanto|` +
    String.raw`(?:de|com|a|em|para|por) (?:que|quem|onde)|como (?:é|está|estás|te|se|vai|vais|foi|fazes|correu|são)|` +
    String.raw`quando (?:é|foi|vais|voltas|acabas|fazes)|que (?:fazes|achas|tal|comes|horas|idade|estudas)|` +
    String.raw`já (?:viste|foste|comeste|estiveste|tiveste|provaste|fizeste|pensaste)|` +
    String.raw`qué|quién|dónde|cuándo|cuál|cuánt[oa]s?|cómo|por qué|` +
    String.raw`wer|wo|woher|wohin|warum|wieso|wann|wie (?:geht|heißt|alt|ist|war|lange|viele)|` +
    String.raw`was (?:machst|ist|hast|bist|willst|isst)|(?:hast|bist|kannst|magst|willst) du)(?!\p{L})`,
  "iu"
)

/** "from which city i come", "since when dont i drink", "you remember what i play" */
const ASKS_INDIRECTLY = new RegExp(
  String.raw`^\W*(?:(?:and|but|so|ok|hey) )?(?:(?:from|in|at|to|with|for|since|until|by|on|of|about) ` +
    String.raw`(?:which|what|whom|when|where)(?![\p{L}'’])(?! it['’]?s)|(?:you|u|ya) (?:still )?(?:remember|recall)` +
    String.raw`(?![\p{L}'’]))`,
  "iu"
)
/** "is quiet", "has two heads": a statement without its subject. */
const STATES = new RegExp(
  String.raw`^\W*(?:does (?:stand|not)|(?:is|has) (?:\p{L}+[\s.!]*$|(?:like|very|so|too|really|from|on|at|because|` +
    String.raw`two|three|four|no|been|got|my|also|always|never|only|just|quite|not)\b))`,
  "iu"
)

/** Whether a message is a question, with or without a question mark. */
export const isQuestion = (text: string): boolean =>
  (ASKS.test(text) && (text.includes("?") || !STATES.test(text))) ||
  ASKS_ELSEWHERE.test(text) ||
  ASKS_INDIRECTLY.test(text)

const REMEMBER = new RegExp(
  String.raw`(?:\b(?:do|did|can|could|would|will) (?:you|u|ya) (?:still |even |really )?(?:remember|recall|know)|` +
    String.raw`^\W*(?:(?:and|but|so|ok|hey)[\s,]+)?(?:you|u|ya) (?:still )?(?:remember|recall))\b` +
    String.raw`(?! (?:how|why|if|any|the|that feeling)\b)[^.!?]{0,120}\b` +
    String.raw`(?:i|i'?m|my|me|mine|we|our|she|he|they|her|his)\b`,
  "i"
)
const TOLD = new RegExp(
  String.raw`\b(?:what|who|where|when|which|did|have) (?!(?:should|shall|can|could|would|must|might|do) )(?:\w+ )?` +
    String.raw`(?:did |have |had )?i (?:just |ever |already )?` +
    String.raw`(?:said|say|tell|told|mention(?:ed)?|called?|named?)\b`,
  "i"
)
const MINE = new RegExp(
  String.raw`^\W*(?:(?:and|but|so|ok|hey|well|then|also|wait|now|remind me|tell me|guess)[\s,:]+)*` +
    String.raw`(?:(?:from|in|at|to|with|for|since|until|by|on|of|about) )?` +
    String.raw`(?:what(?:'?s| is| was| are| were| does| do| did| am)?(?: \w+)?(?: does| do| did| am)?|` +
    String.raw`who(?:'?s| is| are| was)?|where(?:'?s| is| do| does| did| am| was)?|when(?:'?s| is| was| do| did)?|` +
    String.raw`which|how (?:old|many|long|far(?: away)?|often|much|tall)(?: is| are| am| do| have| has)?|` +
    String.raw`do|does|did|have|has|am|is|` +
    String.raw`are)\b[^.!?]*\b(?:i|my|mine|our|me)\b`,
  "i"
)
const MINE_PT = new RegExp(
  String.raw`(?<!\p{L})(?:(?:como (?:é que )?se chama|qual é o nome d)[oa]? ?(?:o meu|a minha|meu|minha)|` +
    String.raw`como (?:é que )?(?:eu )?me chamo|qual é o meu nome|onde (?:é que )?(?:eu )?(?:moro|vivo)|` +
    String.raw`de onde (?:é que )?(?:eu )?sou)(?!\p{L})`,
  "iu"
)
const MINE_ELSEWHERE = new RegExp(
  String.raw`^\W{0,4}(?:und |aber |sag mal |y |e |mas |pero )?(?:` +
    String.raw`(?:wie|wo|wer|wann|was|wem|wen|woher|wogegen|wovor|wofür|welche[rsnm]?|mit wem|bin|habe?|hatte|` +
    String.raw`mag|esse|kann|trinke|rauche)(?!\p{L}).{0,80}?(?<!\p{L})(?:ich|mein(?:e[mnrs]?)?|mir|mich|` +
    String.raw`unser(?:e[mnrs]?)?)|` +
    String.raw`(?:como|onde|quando|quem|qual|quais|quantos|quantas|que|o que|de que|de quê|a que|com quem|para ` +
    String.raw`onde|tenho|sou|gosto|fumo|bebo|sei)(?!\p{L}).{0,80}?(?<!\p{L})(?:eu|meus?|minhas?|tenho|faço|moro|` +
    String.raw`vivo|trabalho|sou|gosto|odeio|nasci|estudo|toco|torço|falo)|` +
    String.raw`(?:cómo|dónde|cuándo|quién|cuál|qué|cuántos|cuántas|a qué|de qué|en qué|con quién|de dónde|tengo|` +
    String.raw`soy|fumo|bebo|como)(?!\p{L}).{0,80}?(?<!\p{L})(?:yo|mis?|me|tengo|vivo|trabajo|soy|odio|nací|` +
    String.raw`estudio|toco|cumplo|hablo)` +
    String.raw`)(?!\p{L})`,
  "iu"
)
const OPINION_ELSEWHERE =
  /(?<!\p{L})(?:soll|sollte|kann ich dir|darf ich|findest du|achas|devo|posso|crees|debo|puedo)(?!\p{L})/iu
const ABOUT_ME = /\bwhat do you (?:remember|know) (?:about|of) me\b|\bwho am i\b/i
// Asks for an opinion, a permission or a diagnosis, which no memory answers.
const OTHERWISE = new RegExp(
  String.raw`\b(?:should|can|could|may|might|would) (?:i|we|you)\b|\bhow (?:do|can|would|am) i\b|` +
    String.raw`\byou (?:think|feel|say|reckon|like|mind|want|mean|make|help|do (?:for|with)|tell|remind)\b|` +
    String.raw`\bwhat (?:do|am) i (?:do (?!for|again)|supposed)|\bwhat do i do(?:\W{1,9}now)?\W*$|` +
    String.raw`\bi (?:ask|look|sound|seem|bother)\b|\bam i (?:your|the|a|an|so|too|being|boring|right|wrong)\b|` +
    String.raw`\b(?:with|to|for|like) me\b|\bjoin me\b`,
  "i"
)

/** Whether a message asks for something that the person may have said about themselves. */
export const asksAboutPast = (text: string): boolean =>
  REMEMBER.test(text) ||
  ABOUT_ME.test(text) ||
  MINE_PT.test(text) ||
  TOLD.test(text) ||
  (MINE_ELSEWHERE.test(text) && !OPINION_ELSEWHERE.test(text)) ||
  (MINE.test(text) && !OTHERWISE.test(text) && isQuestion(text))
