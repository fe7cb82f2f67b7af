import { contentOf } from "../../retrieval/contentWords.ts"
import { terms } from "../../retrieval/terms.ts"
import { topicsTold } from "../../retrieval/topics/topics.ts"
import { isPassing } from "./passing.ts"

/** What tells nothing about the person: questions, commands, quotations, conditions, wishes, and mere talk. */

const WH = new RegExp(
  String.raw`^(?:from|in|at|to|with|for|since|until|by|on|of|about) (?:which|what|whom|when|where)\s(?!it['’]?s\b)|` +
    String.raw`^(?:what|who|whom|whose|which|how|why|where)(?:['’]?s|['’]re|['’]d)?\s(?!i (?:am|was|do|did|have|` +
    String.raw`love|like)\b)|` +
    String.raw`^when (?:is|are|was|were|do|does|did|can|will|should|have|has)\b|^was (?:ist|war|sind|machst|` +
    String.raw`macht|hast|bist|soll|kann|meinst|denkst|für|gibt|geht|würdest|tust)\b|^(?:wer|wie|wo|wann|warum|` +
    String.raw`wieso|` +
    String.raw`weshalb|welche[rsnm]?|woher|wohin|wem|wen) (?!(?:ich|ein|eine) )|^(?:o que|como|onde|quem|qual|quais|` +
    String.raw`porque é|quantos|quantas|qué|cómo|dónde|quién|cuál|cuándo|cuántos|cuántas)\s`,
  "iu"
)
const INVERTED = new RegExp(
  String.raw`^(?:do|does|did|is|are|am|was|were|can|could|would|will|should|have|has|had|may|might)(?:n['’]?t)? ` +
    String.raw`(?:i|you|u|ya|he|she|it|we|they|there|this|that|these|those|the|my|your|our|his|her|any|anyone|` +
    String.raw`anybody|everyone)\b|^(?:\p{L}+st|hast|bist|kannst|willst|magst|darf|soll|kann) (?:du|ich)(?!\p{L})|` +
    String.raw`^(?:any|got any) (?:idea|plans|news|tips|advice)\b|^(?:got|seen|met|had) any\b`,
  "iu"
)
/** "company for who." */
const ASKS_BACK = /^(?:\p{L}{1,20} ){1,3}(?:who|what|where|whom)[.!]*$/iu
/** "they are loud, arent they" */
const TAG = new RegExp(
  String.raw`, (?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)(?:n['’]?t)? ` +
    String.raw`(?:i|you|u|he|she|it|we|they|there)[.!]*$`,
  "iu"
)
/** Whether a sentence asks something, with or without a question mark. */
export const isAsking = (sentence: string): boolean =>
  TAG.test(sentence) ||
  /\?[^\p{L}\p{N}?]{0,9}$|¿/u.test(sentence) ||
  ASKS_BACK.test(sentence) ||
  WH.test(sentence) ||
  INVERTED.test(sentence)

const COMMAND = new RegExp(
  String.raw`^(?:please |now |can you |could you |just |ok |and |so )*(?:tell|write|sing|show|give|remind|` +
    String.raw`pretend|imagine|` +
    String.raw`guess|explain|translate|describe|ask|answer|listen|wait|stop|shut|look at|let['’]?s|let us|let me|say|` +
    String.raw`sag|sing|erzähl|erzähle|schreib|schreibe|zeig|zeige|gib|hör|vergiss|warte|conta|conta-me|diz|diz-me|` +
    String.raw`canta|canta-me|escreve|mostra|fala|espera|cuéntame|cuenta|dime|di|canta|escribe|muestra|habla|espera|` +
    String.raw`remember (?:that |this|to)|forget|please|bitte|por favor)(?![\p{L}'’])|` +
    String.raw`^(?:please |ok |and |so )*(?:don['’]?t|do not|never) (?:worry|tell|ask|be|you|say|forget|mind|go|` +
    String.raw`do|talk|` +
    String.raw`stop|lie|make|call|leave|get|judge|laugh|bother)\b|^(?:play|read|draw|make|help|teach|send|call|hold|` +
    String.raw`trust|believe|take|talk to|keep) (?:me|us|it|something|a song|this|that|him|her|them)\b(?! \p{Lu})`,
  "iu"
)
const CALL_ME = /^(?:\p{L}+[ ,]+){0,3}calls? me \p{L}/iu
export const isCommand = (sentence: string): boolean => COMMAND.test(sentence) && !CALL_ME.test(sentence)

/** "had" and not "would" stands before these, besides all words that end in -ed. */
const PARTICIPLES =
  "been|had|gone|done|seen|met|left|made|lost|got|come|become|taken|given|known|grown|bought|brought|built|broken|" +
  "begun|caught|chosen|cut|driven|drunk|eaten|fallen|felt|flown|found|forgotten|fought|gotten|heard|held|hit|hurt|" +
  "kept|led|lent|let|lived|moved|paid|put|quit|read|run|said|sent|set|shut|slept|sold|spent|spoken|stolen|stood|" +
  "sung|swum|taught|thought|thrown|told|understood|woken|won|worn|written|\\p{L}{2,20}ed"
const WOULD = new RegExp(
  String.raw`\b(?:i|we)['’]d (?:(?:all|both|just|still|even|probably|definitely|never|only|\p{L}{2,15}ly) ){0,3}` +
    String.raw`(?!(?:${PARTICIPLES}|all|both|just|still|even|never|only|\p{L}{2,15}ly)\b)\p{L}|` +
    String.raw`\bid (?:all|just|still|even|probably|definitely|never|be|have|love|like|rather|buy|go|do|say|hate|die|` +
    String.raw`look|see|take|give|get|want|need|wear|eat|sell|marry|live|move|quit|leave|try)\b`,
  "iu"
)
const CONDITION = new RegExp(
  String.raw`^(?:\p{L}+ )?(?:if|unless|suppose|imagine|what if|in case|wenn|falls|angenommen|se|si|caso) |` +
    String.raw`\bif (?:i|we|he|she|it|they|you|my)\b.{0,80}(?:\b(?:would|could|might)\b|['’]d\b)|` +
    String.raw`(?:\b(?:would|could|might)\b|['’]d ).{0,80}\bif\b|^(?:maybe|perhaps|vielleicht|talvez|quizás?|tal ` +
    String.raw`vez)[ ,]|` +
    String.raw`(?<!\p{L})(?:wäre|hätte|könnte|würde)(?:n|st)?(?!\p{L})|` +
    String.raw`\b(?:i|we) (?:would|should(?! (?:say|mention|add|explain|confess|tell you|point out))|could|might|may|` +
    String.raw`(?:would|should|might)n['’]?t)\b(?! never)|\bwould(?: not|` +
    String.raw`n['’]?t)? have \p{L}|\b(?:i|` +
    String.raw`we)['’]d (?:like|love|rather|` +
    String.raw`better|never|be|have)\b`,
  "iu"
)
const WISH = new RegExp(
  String.raw`\b(?:i|we) (?:wish|hope|wonder|was wondering|dreamt|dreamed)\b|^(?:hopefully|fingers crossed|if only)|` +
    String.raw`(?<!\p{L})(?:ich wünschte|ich hoffe|hoffentlich|quem me dera|oxalá|ojalá|espero que)(?!\p{L})`,
  "iu"
)
const REPORTED = new RegExp(
  String.raw`^(?:they|people|some people|everyone|everybody|someone|nobody) (?:say|says|said|think|thinks|told ` +
    String.raw`me|keep|keeps)\b|` +
    String.raw`\bi (?:never|didn['’]?t|did not) (?:say|said|tell|told|mention|mentioned|claim|claimed)\b|` +
    String.raw`^in (?:the|this|that|my) (?:film|movie|book|song|show|series|game|story|dream|novel)\b|` +
    String.raw`\b(?:the|a|some) (?:man|guy|woman|girl|lady|voice|character|narrator|singer) (?:on|in|from|at) ` +
    String.raw`(?:the|tv)\b|^(?:i (?:heard|hear|read) (?:that )?|rumou?r has it )(?:s?he|they|the|some|that|there|it|` +
    String.raw`\p{Lu}\p{Ll}+)(?:['’]s|['’]re| )|\bwe (?:say|call it)\b|^the (?:song|saying|joke|poem|proverb) ` +
    String.raw`(?:goes|says)\b`,
  "iu"
)
/** "my wife says I'm married to my van": what somebody thinks of the person. A doctor knows what is said. */
const OPINION = new RegExp(
  String.raw`^(?!(?:i|we|so|well)\b)(?:[\p{L}'’]{1,20}\.? ){1,5}` +
    String.raw`(?:says?|said|reckons?|thinks?|thought|claims?|swears?|jokes?|told (?:me|us|everyone|people)|` +
    String.raw`tells (?:me|us|everyone|people)) (?:that )?` +
    String.raw`(?:(?:i|we)(?! (?:was|were|had|used|need|have|should|must)\b)|i['’]?m|we['’]?re|you|you['’]?re|` +
    String.raw`my (?:\p{L}{2,12} ){1,2}(?:is|are)\b|` +
    String.raw`(?:s?he|they|it)['’]?(?:s|re)?|the|an?|all|every\p{L}{0,5}|nothing|life|love|people|if|when|` +
    String.raw`that(?= is\b| was\b|['’]?s\b)|this|no)\b|` +
    String.raw`^(?:as )?(?:my|the|our) (?:\p{L}{2,15} ){1,3}(?:used to say|always sa(?:ys|id)|thinks|reckons|` +
    String.raw`swears|is ` +
    String.raw`(?:sure|convinced|certain))\b`,
  "iu"
)
const PROFESSIONAL = new RegExp(
  String.raw`^(?:\p{L}{1,12}\.? ){0,2}(?:doctors?|dr|gp|dentist|vet|midwife|nurse|consultant|physio|surgeon|` +
    String.raw`therapist|` +
    String.raw`optician|specialist|lawyer|solicitor)\b`,
  "iu"
)
const OF_HEALTH = /^~(?:health|medicine|diet|allergy|child)/
const isOpinion = (sentence: string): boolean =>
  OPINION.test(sentence) &&
  !(PROFESSIONAL.test(sentence) && [...topicsTold(sentence)].some((topic) => OF_HEALTH.test(topic)))

/** "my mum would kill me", and not "my dad would sing every night" */
const WOULD_OF_OTHERS = /\bwould(?:n['’]?t)?\b(?! (?:always|often|sometimes|never))/iu
const HABIT = /\b(?:always|every|when|often|used to|sometimes|whenever|each)\b/i
const SOME_DAY = new RegExp(
  String.raw`\b(?:one day|some ?day)[, ]+i|\bin (?:my|the|an?)?(?:other|next)? ?(?:next |other )?life\b|` +
    String.raw`\b(?:when|once) i (?:win|grow up|am (?:old|rich|famous|dead)|['’]?m (?:old|rich|famous|dead)|die)\b|` +
    String.raw`\b(?:i|we) (?:bet|doubt)\b`,
  "iu"
)
/** "I'm a spy lol jk" */
const IN_JEST = /\b(?:jk|(?:just|only) (?:kidding|joking|messing))(?: lol| haha| with (?:you|u))?[^\p{L}\p{N}]*$/iu
const RETRACTED = new RegExp(
  String.raw`^(?:(?:nah|ok|okay|haha|lol|no no|im|i['’]m|i was|was|just|only|totally|obviously)[ ,.!]{1,3}){0,4}` +
    String.raw`(?:kidding|joking|jk|messing|teasing|pulling your leg)(?: with (?:you|u|ya))?(?: lol| haha|` +
    String.raw` obviously)?` +
    String.raw`[^\p{L}\p{N}]*$`,
  "iu"
)
/** "kidding": what was just said is not true. */
export const isRetraction = (sentence: string): boolean => RETRACTED.test(sentence)

/** What somebody would do. */
export const isHypothetical = (clause: string): boolean => WOULD_OF_OTHERS.test(clause) && !HABIT.test(clause)

const QUOTED = /["“”„«»][^"“”„«»]{1,200}["“”«»]/u
const SHORT_QUOTED = /^["“”„«»](?:[^\s"“”«»]+ ){0,2}[^\s"“”«»]+["“”«»]$/u
const SPEECH = new RegExp(
  String.raw`\b(?:said|says|told|asked|shouted|yelled|goes|went|say|whispered|wrote|texted)\b|(?<!\p{L})(?:sagt|` +
    String.raw`sagte|meinte|disse|dijo|dice|diz)(?!\p{L})`,
  "iu"
)

/** Words between quotation marks are someone else's, unless they are a title or a nickname. */
export const isQuotation = (sentence: string): boolean => {
  const quoted = QUOTED.exec(sentence)?.[0]
  return quoted !== undefined && (SPEECH.test(sentence) || !SHORT_QUOTED.test(quoted))
}

export const isUnreal = (sentence: string): boolean =>
  CONDITION.test(sentence) ||
  WOULD.test(sentence) ||
  WISH.test(sentence) ||
  REPORTED.test(sentence) ||
  isOpinion(sentence) ||
  SOME_DAY.test(sentence) ||
  IN_JEST.test(sentence)

/** Words that tell nothing on their own. */
const EMPTY = new Set(
  (
    "think know mean guess like love want feel felt good bad fine ok okay sure sorry late thanks thank right really " +
    "here back now today tonight tired bored hungry happy sad glad ready busy kidding joking joke serious lot bit " +
    "thing " +
    "things stuff way time day laugh talk talking chat chatting say said saying tell telling told ask " +
    "asking question questions answer help please try trying hear listen listening understand agree remember forget " +
    "forgot see seen look looking wait waiting go going come coming get got gotten make made one two funny nice " +
    "great " +
    "cool weird crazy true same wrong worry need needs maybe much many soon later tomorrow yesterday again still yet " +
    "even already pretty quite god bless lol haha omg wow hey hi hello yes yeah no nope well anyway actually " +
    "honestly " +
    "btw tbh something anything nothing everything someone anyone everyone anybody nobody people guy man dude mate " +
    "friend promise swear bet hope miss believe suppose suspect let lets put keep stop start sleep bye " +
    "goodnight evening afternoon week rain weather quiet loud long short next little big best better worse " +
    "worst enough else both another other these those wonder wondering curious interesting boring awful terrible " +
    "hard " +
    "easy tough rough relief pleased excited annoyed angry cross upset confused lost alone ill sick cold hot warm " +
    "exhausted lonely anxious nervous stressed knackered grumpy moody mood starving thirsty freezing hungover " +
    "hunger thirst overwhelmed jealous embarrassed awful " +
    "sleepy drunk stupid dumb idiot fault bad kind sweet lovely beautiful perfect amazing damn hell shit fuck ugh " +
    "means mind idea sense matter deal point life world never always sometimes often usually " +
    "im youre thats ive id cant dont didnt wont isnt wasnt hes shes theyre theres " +
    "gut schlecht mude okay danke bitte ja nein weiss weiß glaube denke finde heute morgen gestern nicht was das ist " +
    "ich du mir dir mich dich und oder aber auch noch schon so sehr ganz immer nie bin bist hab habe hast war wieder " +
    "sag mal nettes na hm super toll lustig egal richtig genau stimmt traurig froh " +
    "bem mal cansado cansada obrigado obrigada sim nao acho sei penso hoje amanha ontem que de o a e eu tu me te mim " +
    "muito pouco tambem ja ainda sempre nunca estou estas bom boa triste feliz verdade claro isso isto nada tudo " +
    "bien gracias si creo se pienso hoy ayer manana yo mi muy poco tambien ya todavia siempre nunca estoy estas " +
    "bueno " +
    "buena triste contento contenta verdad claro eso esto nada todo no lo la el un una"
  ).split(" ")
)

/** The words of a sentence that could tell something. */
export const tellingWords = (sentence: string): ReadonlyArray<string> =>
  contentOf(terms(sentence)).filter((word) => !EMPTY.has(word) && (word.length > 1 || /\p{N}/u.test(word)))

/** Talk about the talk itself, or about a passing moment. */
const TALK = new RegExp(
  String.raw`^(?:i(?:['’]?m| am|['’]?ll| will|['’]?ve| have)? )?(?:just |only |really |so |still |not |always ` +
    String.raw`)*(?:saying|asking|` +
    String.raw`talking to you|telling you|be right back|brb|listening|here for you|with you|glad you|happy you|sorry|` +
    String.raw`going to (?:sleep|bed)|off to|heading|thank|thanks|good ?night|good morning|have to go|need to go|` +
    String.raw`gotta go|gtg)\b|` +
    String.raw`^(?:\p{L}{1,12},? ){0,3}i (?:love|like|hate|appreciate|enjoy|adore) (?:it|that|this|you|your|how|` +
    String.raw`when|the way|talking)\b|` +
    String.raw`\bi (?:told|tell|asked|ask|showed|show) you\b|\bi never thought\b|^(?:(?:no|but|wrong|and|well)[ ` +
    String.raw`,]+)*i (?:just |only )?` +
    String.raw`(?:ask(?:ed)?|meant?|said) (?:if|whether|about|where|what|who|when|how|why|your?)\b|\bi mean[.!]*$|` +
    String.raw`\b(?:i['’]?m|i am) (?:out|off)(?:[.!,]|$)|\bgonna (?:head|dip|bounce)\b|^(?:i )?(?:just )?(?:found|` +
    String.raw`saw|came across|clicked|downloaded|` +
    String.raw`stumbled (?:on|upon)|discovered) (?:this|it|you)\b|\bmy (?:bad|god|goodness|pleasure|apologies|turn|` +
    String.raw`point|question|fault)\b|` +
    String.raw`\bi (?:don['’]?t|do not|didn['’]?t|can['’]?t) (?:know|understand|care|mind|remember|believe|think|` +
    String.raw`get it|see why|agree|mean)\b|` +
    String.raw`^(?:that|this|it)(?:['’]?s| is| was) (?!(?:on|at|in|called|named) )|^thanks?\b|^(?:good|nice|` +
    String.raw`great|cool|lol|haha|wow)\b`,
  "iu"
)
/** Whether a sentence is only about the talk or the moment, or not meant as it is said. */
export const isTalk = (sentence: string): boolean => TALK.test(sentence) || isPassing(sentence)
