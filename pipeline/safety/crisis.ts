import { undisguised } from "../lookAlikes.ts"
import { plain } from "../plain.ts"

/**
 * Whether somebody may be about to hurt themselves. A needless hand held out costs less than one that is missing, so only figures of speech
 * and other people's stories are passed over.
 */

const FIGURE_OF_SPEECH: ReadonlyArray<RegExp> = [
  /\bkill(?:ing|ed)? my ?self (?:laughing|with laughter)\b/gi,
  /\b(?:wanna|(?:want|going) to) die (?:of|from) (?:laughter|laughing|embarrassment|cuteness|boredom|shame|secondhand)\b/gi,
  /\bdie laughing\b|\bto die for\b/gi,
  /\bsuicide (?:squad|bomber|bombing|mission|burn|doors?)\b/gi,
  /\bcut(?:ting)? my ?self (?:some slack|off|short|a (?:slice|piece))\b/gi,
  /\bcut my ?self (?:shaving|on|with|while|by accident|accidentally)\b/gi
]

const CRISIS: ReadonlyArray<RegExp> = [
  /\b(?:kill|hurt|harm|hang|cut|cutting|killing|hurting|harming|hanging) my ?self\b/i,
  /\b(?:wanna|(?:want|wish i could|going|plan(?:ning)?|ready) to) (?:die|end my life|end it all|kill me)\b/i,
  /\bwish (?:i (?:was|were) dead|i(?:'d| had) never been born|i (?:could|would) (?:just )?(?:die|not wake up|disappear forever))\b/i,
  /\b(?:i(?:'m|’m| am| feel| felt| have been| was| get)?|thinking (?:about|of)|thoughts? (?:about|of)|considering|contemplating|feeling)\b[^.!?\n]{0,30}\bsuicid(?:e|al)\b/i,
  /^\W*(?:suicid(?:e|al)|self[- ]?harm|kms)\W*$/i,
  /\b(?:unalive|k[^\w\s]ll(?:ing)?) my ?self\b|\bwant (?:it|it all|everything|my life) to (?:be over|end)\b/i,
  /\b(?:no|any) (?:reason|point) (?:to|in) (?:liv(?:e|ing)|going? on)\b/i,
  /\b(?:end|take|taking|ending) my (?:own )?life\b/i,
  /\b(?:don['’]?t|do not|cant|can['’]t|cannot) (?:want to |wanna )?(?:live|be alive|exist|go on living)(?: any ?more| like this)\b/i,
  /\b(?:better off|be better) (?:dead|without me)\b/i,
  /\b(?:don'?t|do not) (?:want to|wanna) (?:live|be alive|exist)\b(?! (?:in|with|there|here|at|on|near|by|alone|together|next|under|off|that|this|so|far|like)\b)/i,
  /\b(?:want to|wanna|going to|gonna|will|i'll) (?:kms|unalive my ?self|jump (?:off|from) (?:a|the|this|my) (?:bridge|roof|building|balcony))\b/i,
  /\bi(?:'ve| have)?(?: just)? (?:took|taken|swallowed) (?:all (?:of )?(?:my|the|his|her)|a (?:whole |full )?bottle of|too many) (?:[a-z]+ )?(?:pills|tablets|meds)\b/i,
  /\b(?:overdos(?:e|ing)|lethal dose|painless way to die|ways? to (?:kill myself|die))\b/i,
  /(?<![\p{L}])(?:ich (?:will|möchte|mag|kann) (?:sterben|nicht mehr (?:leben|weiterleben)|mein leben beenden)|(?:bringe?|brächte) mich (?:\p{L}+ ){0,3}um|nicht mehr aufwachen|(?:kein(?:en|e)? (?:lust|bock|kraft|grund|sinn)) mehr,? (?:zu leben|am leben)|(?:mich|mir) (?:umbringen|umzubringen|töten|zu töten|ritzen|selbst (?:verletzen|verletze)|das leben (?:nehmen|zu nehmen))|selbstmord(?:gedanken)?|suizid(?:gedanken)?|wäre ich (?:doch )?tot)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:quiero (?:morir(?:me)?|matarme)|me voy a (?:matar|suicidar)|(?:no tengo|sin) ganas de vivir|(?:voy a|pienso en) (?:matarme|suicidarme)|no quiero (?:seguir )?vivi(?:r|endo)|suicidarme|hacerme daño|quitarme la vida)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:(?:je veux|j['’]ai envie de) mourir|me (?:suicider|tuer)|(?:veux|vais) en finir(?: avec (?:la|ma) vie)?|(?:je ne veux|j['’]ai) plus (?:vivre|envie de vivre)|me faire du mal|mettre fin à mes jours)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:quero (?:morrer|me matar)|(?:vou|penso em) me matar|matar-me|suicidar-me|acabar com a minha vida|(?:não tenho|sem) vontade de viver|me suicidar|não quero (?:mais )?viver|tirar a minha vida|me machucar)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:(?:voglio|vorrei) (?:morire|uccidermi|ammazzarmi|farla finita)|suicidarmi|togliermi la vita|non voglio più vivere|ik wil (?:dood|sterven|niet meer leven)|mezelf (?:doden|van kant maken|pijn doen)|zelfmoord plegen)(?![\p{L}])/iu,
  /(?<![\p{L}])(?:chcę (?:umrzeć|się zabić)|popełnić samobójstwo|nie chcę (?:już )?żyć|ölmek istiyorum|kendimi öldür\p{L}*|intihar et\p{L}*|yaşamak istemiyorum|(?:хочу|хочется) (?:умереть|сдохнуть|померти|вмерти)|(?:убить|вбити) себ[яе]|покончить с собой|не хочу (?:больше |більше )?(?:жить|жити))(?![\p{L}])/iu,
  /死にたい|自殺したい|生きていたくない|我想死|想自[杀殺]|不想活|죽고 ?싶|자살하고|أريد (?:أن أموت|الموت)|אני רוצה למות|मरना चाहत|อยากตาย/u
]

const MENTION = /\b(?:suicid(?:e|al)|self[- ]?harm(?:ing)?|selbstmord|suizid|suicid(?:io|arse)|suicídio)\b/i

const literal = (text: string): string => FIGURE_OF_SPEECH.reduce((rest, figure) => rest.replace(figure, " "), plain(text).replace(/\s+/g, " "))

/** `crisis`: the writer themselves may be in danger. `mention`: it is spoken of. */
export const crisisIn = (text: string): "crisis" | "mention" | null => {
  const open = foundIn(literal(text))
  return open === "crisis" ? open : foundIn(literal(undisguised(text))) ?? open
}

const foundIn = (said: string): "crisis" | "mention" | null => {
  if (CRISIS.some((pattern) => pattern.test(said))) return OTHERS.test(said) && !FIRST_PERSON.test(said) ? "mention" : "crisis"
  return MENTION.test(said) ? "mention" : null
}

// "Selbstmord" alone may be a novel's; only what nobody says of themselves is somebody else's.
const OTHERS = /\b(?:brother|sister|friend|mother|father|mom|mum|dad|uncle|aunt|cousin|neighbou?r|character|hero|novel|book|film|movie|bruder|schwester|freundin?|mutter|vater|film|buch|roman|hermano|amigo|película|frère|ami|irmão|filme)\b/i
const FIRST_PERSON = /(?<!\p{L})(?:i|i'm|i've|i'll|my ?self|me|ich|mich|mir|yo|quiero|voy|pienso|mi|mí|je|j'ai|eu|quero|vou|penso|meu|minha|mim|(?:matar|suicidar)-?me)(?!\p{L})/iu
