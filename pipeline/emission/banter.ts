import { anyOf, over, sentencesOf } from "../safety/reading.ts"

/** Laughter and jokes in English, German, Spanish and Portuguese, which do not belong in the turns after a crisis. */

const EMOJI = /[😀😁😂😃😄😆😅🤣😜😝😛🤪😹🙃😏🤡🎉🥳]/u
const LAUGHS = new RegExp(
  String.raw` (?:(?:b?w?a)?(?:ha){2,12}h?|(?:he){2,12}|(?:hi){2,12}|lol|lolol|lmao|lmfao|rofl|xd|(?:ja){2,12}j?|` +
    String.raw`(?:je){2,12}|(?:ji){2,12}|k{3,12}|kk|(?:rs){1,12}|(?:hua){2,12}|(?:hue){2,12}|muahaha|hihi|tihi|` +
    String.raw`kicher) |\*(?:laughs|giggles|chuckles|grins|lacht|kichert)`
)
const JOKES = over(
  ` what (?:did|does) (?:the|a|an|one) [a-z]{1,14} (?:say|said) to (?:the|a|an|another|his|her) `,
  " (?:thats|that is|this is|youre|how) (?:so |too |pretty |really )?(?:hilarious|funny|comical) [.!,] |" +
    ` whats [a-z]{1,14} and [a-z]{1,14} \\? `,
  " (?:das ist|du bist) (?:ja |echt |zu |so )?(?:lustig|witzig|komisch) [.!,] |" +
    " (?:que|muy) (?:gracioso|graciosa|chistoso|chistosa) [.!,] | (?:que|muito) engracad[oa] [.!,] ",
  ` (?:why did the [a-z]{1,14} (?:cross|win|break up|fall off)|what do you (?:call|get when you cross)) `,
  ` (?:knock , knock|knock knock|klopf klopf|toc toc) `,
  " (?:a|an|ein|eine|un|um) (?:[a-z]{1,14} ){1,4}(?:walks?|walked|kommt|geht|entra|entran) (?:into|in|en|num|em) " +
    "(?:a|an|eine|un|uma?)? ?(?:bar|kneipe|pub)",
  " (?:want|wanna|want to|time to|let me) (?:hear|tell|tell you) (?:a|another) joke |" +
    " heres a (?:joke|good one|funny one) | (?:heard|know) the one about ",
  " (?:kennst du den|kennst du schon den|willst du einen witz|hier ein witz|" +
    "was sagt (?:ein|eine|der|die) [a-z]{1,14} (?:zum|zur|zu)|treffen sich zwei) ",
  " (?:sabes (?:que|lo que) le dijo|que le dice (?:un|una|el|la)|te cuento un chiste|quieres un chiste|" +
    "ahi va un chiste|se abre el telon|va un (?:hombre|tipo) ) ",
  " (?:o que (?:o|a|um|uma) [a-z]{1,14} (?:disse|falou) (?:para|pra|pro|ao) (?:o |a |outr[oa] )?[a-z]{1,14}|" +
    "conto uma piada|quer (?:ouvir )?uma piada|vai uma piada|la vai uma piada|" +
    "por que (?:o|a) [a-z]{1,14} atravessou) ",
  " just (?:kidding|joking|messing|teasing) | (?:war nur spass|nur ein scherz|kleiner scherz|scherz beiseite) |" +
    " (?:es broma|era broma|estoy de broma) | (?:brincadeira|to brincando|to zoando|zoeira) [.!,] "
)
const CHEER_UP = over(
  " (?:cheer up|lighten up|chin up buttercup|turn that frown|smile a bit|snap out of it|get over (?:it|yourself)|" +
    "man up|stop (?:moping|sulking|whining)|dont be (?:so )?(?:dramatic|such a (?:baby|downer|drama queen))|" +
    "look on the bright side) ",
  " (?:reiss dich (?:mal |doch |jetzt )*zusammen|kopf hoch|lach (?:mal|doch)|stell dich nicht so an|" +
    "jetzt hab dich nicht so|lachel (?:mal|doch)|jetzt lachel|sei (?:doch )?(?:nicht|kein) (?:so )?" +
    "(?:dramatisch|dramaqueen|frosch|trauerkloss)|schau nicht so) ",
  " (?:animate|animese|alegra esa cara|arriba ese animo|no seas (?:tan )?" +
    "(?:dramatic[oa]|exagerad[oa]|lloron|llorona)|ponte las pilas|deja de (?:llorar|quejarte)|venga ya|" +
    "sonrie un poco) ",
  " (?:se anima|anima ai|te anima|animo ai|levanta esse astral|alegra essa cara|deixa de drama|para de drama|" +
    "larga de drama|sem drama|para de (?:chorar|frescura|reclamar)|nao seja (?:tao )?dramatic[oa]|sorria) "
)
/** "I won't tell you to get over it", "du musst nicht". */
const NOT_ASKED = new RegExp(
  " (?:wont|will not|would never|never|no need to|dont have to|neednt|nobody|musst|brauchst|no tienes que|" +
    "no hace falta|nadie|nao precisa|ninguem) "
)
const NAMES = anyOf(
  "goof goofball silly_goose silly dummy dork doofus drama_queen crybaby weirdo dingus you_clown party_pooper " +
    "dummerchen dussel dusselchen blodi heulsuse trauerkloss dramaqueen quatschkopf hohlkopf spassvogel miesepeter " +
    "tontito tontita tontuelo payaso payasa payasito payasita bobo boba bobito dramatica dramatico lloron " +
    "llorona aguafiestas " +
    "bobinho bobinha boboca palhaco palhaca chorao chorona bestinha tontinho dramatica reclamao"
)
/** A teasing name counts if the person is called by it: after "you", or set apart by commas. */
const TEASES = over(
  " (?:you|u|du|tu|oh du|ay|ai|seu|sua|so ein|que|oye|eh) (?:big |little |old |kleiner? |kleine |alter |" +
    `alte )?${NAMES} `,
  ` , ${NAMES} [.!?,]`,
  `^ ${NAMES} [.!,]`
)

/** Whether a text laughs, jokes, teases or tells somebody to cheer up. */
export const banters = (text: string): boolean =>
  EMOJI.test(text) ||
  LAUGHS.test(` ${text.toLowerCase().replace(/[^\p{L}*]+/gu, " ")} `) ||
  sentencesOf(text, { quotations: true }).some(
    (sentence) =>
      JOKES.test(sentence) || (CHEER_UP.test(sentence) && !NOT_ASKED.test(sentence)) || TEASES.test(sentence)
  )
