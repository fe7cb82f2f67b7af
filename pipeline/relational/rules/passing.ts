import { topicsTold } from "../../retrieval/topics/topics.ts"
import { isFigurative } from "./images.ts"
import { isLasting } from "./lasting.ts"
import { isPassingAbroad } from "./passingAbroad.ts"

/** What is true only for a moment, or is not meant as it is said. */

const LIFE_TOPICS = new RegExp(
  String.raw`^~(?:wedding|partner|family|child|pet|verb~marry|work|study|home|origin|health|medicine|event|` +
    String.raw`birthday|death|language)`
)
const hasTopic = (sentence: string, topics: RegExp): boolean =>
  [...topicsTold(sentence)].some((topic) => topics.test(topic))
const isOfLife = (sentence: string): boolean => isLasting(sentence) || hasTopic(sentence, LIFE_TOPICS)

/** "i swell up like a balloon", and not "i like a walk". */
const SIMILE = new RegExp(
  String.raw`\p{L} (?<!\b(?:i|we|you|they|would|['’]d|id|do|don['’]?t|dont|did|didn['’]?t|really|also|just|still|is|` +
    String.raw`are|was|were|['’]s) )like an? \p{L}`,
  "iu"
)

/** A doing of the moment: "i'm sitting in the kitchen". Some verbs tell of a longer time. */
const DOING = new RegExp(
  String.raw`^(?:i['’]?m|i am|we['’]?re|we are|i was|we were) (?:just |still |currently |only |already |not |all )?` +
    String.raw`(?!(?:liv|work|study|train|learn|gett|expect|mov|sav|rent|rais|recover|dat|see|retir|start|leav|quitt|` +
    String.raw`teach|adopt|becom|turn|volunteer|apply|car|div|separat|sell|buy|stay|renovat|restor|writ|build|plann|` +
    String.raw`studyi|help|runn|serv|fight|la(?:y|id)|com)ing\b)\p{L}{2,20}ing\b`,
  "iu"
)
/** "i'm going to make some tea", "i have to run", "i want a coffee now" */
const ABOUT_TO = new RegExp(
  String.raw`^(?:i['’]?m (?:going to|gonna)|i(?:['’]ll| will)|i (?:have|need|want|got|ought) to|i['’]ve got to|` +
    String.raw`i gotta) |` +
    String.raw`^i (?:really |just |so )?(?:need|want|fancy) (?:an? |some |my |another )?(?:\p{L}{2,12} )?(?:coffee|` +
    String.raw`tea|` +
    String.raw`drink|beer|wine|nap|break|shower|bath|hug|snack|pee|wee|sleep|minute|moment|sec|hand|laugh|lie down)\b`,
  "iu"
)
const WHERE_NOW = new RegExp(
  String.raw`^(?:i['’]?m|i am|we['’]?re|we are) (?:still |just |already |back |almost |nearly )?(?:` +
    String.raw`(?:on|in|at) (?:the|my|a|our) (?:bus|train|tram|car|way|break|sofa|couch|kitchen|garden|bath|shower|` +
    String.raw`shop|queue|pub|park|bed|bathroom|loo|toilet|phone|plane|street|middle)\b|(?:not )?in (?:an? |the )?` +
    String.raw`(?:\p{L}{2,12} ){0,2}mood\b|late\b|off (?:in|to|now|home)\b|home now\b|here\b|there\b)`,
  "iu"
)
const MOMENTS = new RegExp(
  String.raw`\bi (?:just )?(?:can['’]?t|cannot) (?:stop|find|wait|help|decide|concentrate|focus|` +
    String.raw`believe|reach|hear)\b|\bi keep \p{L}{2,20}ing\b|\bi(?:['’]?ve| have)(?: got)? (?:a (?:bit of a )?` +
    String.raw`(?:headache|cold|cough|fever|hangover|stitch|cramp|minute|sec|question|feeling|point)|no (?:idea|clue|` +
    String.raw`time|energy)|nothing)\b|^(?:i|we) (?:just )?(?:asked|told|texted|called|rang|messaged|emailed) (?:him|` +
    String.raw`her|them|my|the)\b|\bi(?:['’]?ve)? (?:just )?(?:seen|read|heard) (?:that|this|it)\b|` +
    String.raw`\bi(?:['’]?ve)? (?:just )?(?:ate|eaten|drank|burnt|burned|spilled|spilt|dropped(?! out)|laughed|` +
    String.raw`yawned|` +
    String.raw`overslept|finished|tripped|fell asleep|got (?:soaked|wet|home|back|up|here|stuck|bored)|(?:lost|found|` +
    String.raw`forgot) my (?:keys|phone|way|glasses|place|umbrella|wallet))\b|^(?:i )?(?:just )?(?:got|came|` +
    String.raw`been|woke|` +
    String.raw`popped|nipped) (?:in|home|back|up|off|out)\b|\bknocked off\b|^(?:i['’]?m |we['’]?re |am ` +
    String.raw`)?(?:still )?on ` +
    String.raw`(?:my|our|the) (?:way|break|bus|train|tram|sofa|loo|couch)\b|\bi (?:just )?saw an? \p{L}|\b(?:i ` +
    String.raw`)?had (?:an?|` +
    String.raw`the) (?:\p{L}{2,12} ){0,2}(?:dream|nightmare|laugh|day|night|nap|lie in|shower|coffee|chat)\b|` +
    String.raw`\bi['’]?(?:ve|ve got|ve only) got to \p{L}|\bi['’]?m a grown (?:man|woman|adult)\b|\bkind of ` +
    String.raw`person\W*$|^time (?:for|to) |` +
    String.raw`^(?:on the phone|out with|out for|off to|off for|waiting (?:for|on)|back from|sat (?:on|in|at|` +
    String.raw`here|with)|` +
    String.raw`at (?:my|the|our) \p{L}{2,12}['’]?s?(?: for| with)?|(?:watch|listen|read|cook|sitt|eat|mak|walk|` +
    String.raw`clean|tidy|` +
    String.raw`scroll|play|ly|chill|hav|drink|bak)ing) |\b(?:i['’]?m|i am|we['’]?re) (?:at|in) (?:the ` +
    String.raw`)?(?:dentist|doctors?|gym|` +
    String.raw`shops?|supermarket|airport|station|beach|office|cinema|museum|library|hairdressers?|vets?|bank|` +
    String.raw`queue|lift|` +
    String.raw`waiting room)\b|\bi need (?:an? |some )?(?:\p{L}{2,10} )?(?:holiday|vacation|rest|break|lie down|` +
    String.raw`day off|` +
    String.raw`change of scene|shoes|clothes|haircut|weekend)\b|\b(?:i['’]?m|i am) going (?:to (?:the|my|bed)|` +
    String.raw`for an?|out|` +
    String.raw`home|back)\b|^(?:some days|sometimes|part of me|half of me|deep down|a part of me|one half of ` +
    String.raw`me)[, ]+(?:i )?` +
    String.raw`(?:want|feel|think|wish|dream|say|could|hope)s?\b|\b(?:love|like|enjoy) an? (?:bit|good|nice) \p{L}|` +
    String.raw`\bsays? (?:hi|hello|hey)\b|\b(?:gonna|going to|will|['’]ll) (?:love|hate|kill|laugh|freak|be ` +
    String.raw`(?:so |absolutely )?(?:mad|` +
    String.raw`thrilled|furious|livid|jealous|gutted))\b|\b(?:i['’]?m|i am|im) (?:away|off) to\b|\bgot (?:an?|` +
    String.raw`some) (?:\p{L}{2,12} )?` +
    String.raw`(?:story|question|joke|news|gossip|tea|confession)\b|\b(?:having|have) a party\b|` +
    String.raw`\b(?:work|school|uni|class|the office|the gym) (?:was|is|has been) (?:\p{L}{1,12} ){0,3}(?:nightmare|` +
    String.raw`awful|mad|crazy|hell|boring|busy|dead|rough|long|horrible|grim|fine|okay|ok|good|great|hectic|mental|` +
    String.raw`chaos|a joke)\b`,
  "iu"
)
/** "my tea is cold" */
const MY_THINGS = new RegExp(
  String.raw`^my (?:\p{L}{2,12} )?(?:(?:tea|coffee|food|dinner|lunch|breakfast|phone|battery|laptop|wifi|internet|` +
    String.raw`bus|` +
    String.raw`train|tram|brain|wallet|stomach|belly|toes|socks|shoes|clothes|keys|toast|soup|screen|connection|` +
    String.raw`signal|luck|` +
    String.raw`face|stuff|day|evening|turn|kettle|point)(?: (?:is|are|was|has|keeps?|hurts?|went|got)|['’]s)\b|` +
    String.raw`(?:heart|gut|head) (?:says|` +
    String.raw`tells)\b|(?:hair|eyes|hands|feet|legs|` +
    String.raw`head)(?: (?:is|are)|['’]s) (?:an? |so |all |really |just ){0,2}(?:mess|tired|sore|cold|freezing|wet|` +
    String.raw`burning|spinning|soaked|dirty|numb|shaking)\b)`,
  "iu"
)
/** "my train is late", "the cat's asleep" */
const STATE_OF_OTHERS = new RegExp(
  String.raw`(?: (?:is|are)|['’](?:s|re)) (?:so |really |still |just |already |finally |all |fast )?(?:late|` +
    String.raw`asleep|awake|here|` +
    String.raw`busy|hungry|bored|screaming|away|out)\W*$|` +
    String.raw`(?: (?:is|are)|['’](?:s|re)) (?:\p{L}{2,10} )?(?:sitting|lying|sleeping|asleep|snoring|staring|` +
    String.raw`barking|` +
    String.raw`crying|shouting|jumping|standing|chewing|meowing|scratching|purring|whining)\b|` +
    String.raw`^(?:meine?|unsere?|der|die|das) \p{L}{2,15} (?:sitzt|liegt|schläft|schnarcht|bellt|schreit|weint|` +
    String.raw`starrt|` +
    String.raw`nervt|spinnt|miaut)(?!\p{L})|^(?:(?:o|a) )?(?:meu|minha|nosso|nossa|mi|nuestr[oa]) \p{L}{2,15} está ` +
    String.raw`(?:em cima|a dormir|dormindo|sentad|deitad|aqui|no meu|na minha|a chorar|chorando|cansad|com |encima|` +
    String.raw`durmiendo|tumbad|aquí|en mi|llorando|ladrando|a ladrar)`,
  "iu"
)
/** What will not matter tomorrow, whatever it is about. */
const PASSING = new RegExp(
  String.raw`\b(?:right now|rn|so bad|so badly|at the moment|as we speak|for (?:dinner|lunch|breakfast|supper))\b|` +
    String.raw`\b(?:minutes?|seconds?|hours?|min) ago\b|\b(?:is|are|['’]s) getting (?:cold|late|dark)\b|` +
    String.raw`\bi (?:have to|need to|must|gotta|should) (?:pee|run|go|sleep|eat|cook|shower|leave|work|hurry)\b|` +
    String.raw`\b(?:stayed|staying|lying|am|['’]m) in bed\b|\bi just (?:watched|ate|had|saw|woke)\b|` +
    String.raw`(?<!\p{L})(?:gerade eben|im moment|neste momento|agora mesmo|ahora mismo)(?!\p{L})|` +
    String.raw`\b(?:i|we)(?:['’]ll| will|['’]?m (?:going to|gonna)) .{1,80}\b(?:tonight|later|tomorrow|` +
    String.raw`in the morning|` +
    String.raw`in a (?:bit|minute|moment|sec)|now|then)\W*$`,
  "iu"
)
const THIS_DAY = new RegExp(
  String.raw`\b(?:today|tonight|this (?:morning|afternoon|evening)|all day|just now|` +
    String.raw`until (?:the )?(?:evening|tonight|tomorrow))\b`,
  "i"
)
const STATE = new RegExp(
  String.raw`\b(?:am|i['’]?m|is|are|feel|feels|feeling|hurts?|aches?|need|needs|want|wants|have|has|got|looks?|` +
    String.raw`can['’]?t)\b|['’]s\b`,
  "iu"
)
/** What is no mood, though it is of this day. */
const MATTERS = new RegExp(
  String.raw`\d|\b(?:hospital|ambulance|funeral|born|died|dead|married|engaged|pregnant|moving|started?|` +
    String.raw`starting|signed|fired|quit|` +
    String.raw`passed|failed|got the)\b`,
  "i"
)
/** A feeling is of the moment, unless it is said to last. */
const FEELING = /\b(?:i|we)(?:['’]?m| am|['’]?ve been| have been)? (?:\p{L}{2,12} )?feel(?:ing)? /iu
const isOfThisDay = (sentence: string): boolean =>
  THIS_DAY.test(sentence) &&
  (STATE.test(sentence) || /^(?:today|tonight)\b/i.test(sentence)) &&
  !MATTERS.test(sentence) &&
  !hasTopic(sentence, /^~(?:event|birthday|wedding|death)/)

/** Whether a sentence is true only for a moment, or an image. */
export const isPassing = (sentence: string): boolean =>
  isFigurative(sentence) ||
  isPassingAbroad(sentence) ||
  isOfStrangers(sentence) ||
  SIMILE.test(sentence) ||
  PASSING.test(sentence) ||
  WHERE_NOW.test(sentence) ||
  MY_THINGS.test(sentence) ||
  isOfThisDay(sentence) ||
  (STATE_OF_OTHERS.test(sentence) && !isLasting(sentence)) ||
  (FEELING.test(sentence) && !isLasting(sentence)) ||
  (MOMENTS.test(sentence) && !isLasting(sentence)) ||
  ((DOING.test(sentence) || ABOUT_TO.test(sentence)) && !isOfLife(sentence))

/** What could be, after what would be: "i'd hate myself. i couldn't look at it" */
const COULD = /\b(?:i|we) (?:could|would)(?:n['’]?t)?\b/iu
/** "my hairdresser's son": somebody whom the person does not know. */
const KIN_OF_OTHERS = new RegExp(
  String.raw`^my (?!(?:mum|mom|dad|mother|father|sister|brother|husband|wife|partner|girlfriend|boyfriend|son|` +
    String.raw`daughter|` +
    String.raw`best|gran|nan|grandma|grandad|aunt|uncle|cousin|niece|nephew|twin|kid|fianc|ex|gf|bf)\p{L}{0,6}['’])` +
    String.raw`\p{L}{3,15}['’]s (?:cousin|son|daughter|brother|sister|mother|mum|mom|father|dad|wife|husband|kids?|` +
    String.raw`friend|mate|boyfriend|girlfriend|neighbou?r|boss|uncle|aunt)\b`,
  "iu"
)
const isOfStrangers = (sentence: string): boolean => KIN_OF_OTHERS.test(sentence)
export const goesOnUnreal = (sentence: string): boolean => COULD.test(sentence)

const INTENDS = new RegExp(
  String.raw`\b(?:wants?|wanted|wanna|might|may|will|plans|hopes|dreams|would|(?:is|are) (?:going to|gonna|planning|` +
    String.raw`hoping|thinking|off to)|(?:is|are) (?!leaving)\p{L}{2,20}ing\b.{0,60}\b(?:next|tomorrow|soon|in the ` +
    String.raw`(?:spring|summer|autumn|winter)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day))\b|` +
    String.raw`['’](?:ll|s (?:going to|gonna|planning|hoping|thinking))\b`,
  "iu"
)
const CONCERNS_THEM = /\b(?:me|us|i|we|my|our|mine|ours|i['’]?m)\b/iu
const CHANGES_A_LIFE = /^~(?:wedding|partner|verb~marry|verb~move|child|work|study|health|event|death)/
const SINGLE_DEED = new RegExp(
  String.raw`^\P{L}{0,3}(?:['’]ve |['’]s |has |have |had |just |finally )?(?:\p{L}{2,20}ed|won|ran|got|went|` +
    String.raw`bought|came|gave|took|made|told|said|sold|stole|ate|drank|fell|found|lost|sent|brought|broke|` +
    String.raw`forgot|left|put|sang|saw|spent|threw)\b`,
  "iu"
)
/** "she is going to be an astronaut, apparently" */
const DREAMT = /\b(?:apparently|supposedly|one day|some ?day)\b/i
const THEIRS = new RegExp(
  String.raw`^['’]s (?:\p{L}{2,15} )?(?:cousin|son|daughter|brother|sister|mother|mum|mom|father|dad|wife|` +
    String.raw`husband|kids?|friend|mate|boyfriend|girlfriend|neighbou?r|boss|uncle|aunt)\b`,
  "iu"
)
/** "her brother", of somebody else. */
export const startsWithTheirs = (sentence: string): boolean => /^(?:her|his|their) (?!name)/iu.test(sentence)
export const isDreamt = (sentence: string): boolean => INTENDS.test(sentence) && DREAMT.test(sentence)
/**
 * A plan of somebody else that is neither about the person nor changes that life, and what is told of their relatives.
 * `rest`: what follows the one who it is about.
 */
export const isOthersPlan = (rest: string): boolean =>
  !CONCERNS_THEM.test(rest) &&
  (THEIRS.test(rest) ||
    ((INTENDS.test(rest) || (SINGLE_DEED.test(rest) && !isLasting(rest))) && !hasTopic(rest, CHANGES_A_LIFE)))
