import { isLasting } from "./lasting.ts"

/** Moods, doings of the moment and opinions of others, in German, Portuguese and Spanish. */

const GERMAN = new RegExp(
  String.raw`^(?:und |aber |also )?(?:(?:mir|mich) (?:ist|war|geht|gehts|tut|brummt|dreht|friert|nervt|` +
    String.raw`reicht)(?!\p{L})|` +
    String.raw`(?:ich )?(?:hab|habe|hatte) (?:\p{L}{2,12} ){0,3}(?:hunger|durst|lust|bock|zeit|kopfweh|kopfschmerzen|` +
    String.raw`feierabend|ahnung|schlaf|gelacht|geweint|gegessen|geschlafen)(?!\p{L})|` +
    String.raw`(?:ich )?(?:bin|war) (?:(?:so|total|echt|ganz|voll|heute|heut|schon|noch|jetzt|grad|gerade|` +
    String.raw`wieder|immer ` +
    String.raw`noch|einfach|nur|ziemlich|etwas|bisschen|ein bisschen|eben|gleich|erst|völlig|wirklich) ){0,4}` +
    String.raw`(?:müde|fertig|platt|kaputt|erledigt|genervt|traurig|froh|glücklich|gespannt|sauer|wach|satt|hungrig|` +
    String.raw`krank|nervös|gestresst|daheim|zuhause|da|hier|weg|unterwegs|aufgestanden|heimgekommen|angekommen|dran|` +
    String.raw`wieder da|zurück|am ende|durch|raus)(?!\p{L})|` +
    String.raw`(?:ich )?(?:muss|geh|gehe|werd|werde|will|fahr|fahre|mach|mache|leg|lege|hau|haue|koch|koche|ess|esse|` +
    String.raw`sitz|sitze|lieg|liege|steh|stehe|trink|trinke|wart|warte) (?:\p{L}{2,12} ){0,3}(?:schlafen|bett|` +
    String.raw`hin|ab|` +
    String.raw`einkaufen|los|weiter|heim|hause|weg|raus|duschen|essen|kochen|arbeiten|aufstehen|zug|bus|sofa|` +
    String.raw`couch|bad|` +
    String.raw`küche|auto|bahn|schluss|feierabend)(?!\p{L})|` +
    String.raw`meine? (?:kopf|magen|bauch|füße|beine|augen|kaffee|tee|handy|akku|essen|bus|zug|bahn|tag|gehirn|hirn)` +
    String.raw`(?!\p{L})|(?:das|es) (?:hat|ist|war|wird|klingt|tut|geht|regnet|schneit)(?!\p{L}))`,
  "iu"
)
const GERMAN_NOW = /(?<!\p{L})(?:grade?|gerade|gleich|eben erst|schnell)(?!\p{L})/iu
const GERMAN_LIFE =
  /(?<!\p{L})(?:um)?(?:lern|studier|arbeit|zieh|bau|wohn|leb|such|schreib|heirat|gezogen|schwanger|geboren)/iu
const PORTUGUESE = new RegExp(
  String.raw`^(?:eu |e |mas )?(?:(?:estou|estava|tô|tou|ando) (?!(?:\p{L}{1,12} ){0,3}?(?:grávid|desempregad|` +
    String.raw`reformad|` +
    String.raw`aposentad|separad|divorciad|casad|noiv|sóbri|solteir|aprend|estud|a trabalhar|trabalhando|poupa|` +
    String.raw`junta|mudar|mudando|` +
    String.raw`constru|viver|vivendo|morar|morando|escrev|apaixonad|treina|tirar|tirando|fazer (?:um|o) curso))\p{L}|` +
    String.raw`(?:tenho|tinha) (?:\p{L}{2,8} ){0,2}(?:fome|sede|sono|frio|calor|pressa|saudades|dores|preguiça|` +
    String.raw`vontade|` +
    String.raw`razão)(?!\p{L})|tenho (?:de|que) \p{L}|(?:vou|vamos) (?!casar|mudar|ser|ter um|ter uma|começar|viver|` +
    String.raw`morar)\p{L}|acabei de |(?:perdi|esqueci-me d|esqueci) (?:o|a|do|da|de) (?:autocarro|comboio|` +
    String.raw`ônibus|metro|` +
    String.raw`metrô|trem|chaves?|telemóvel|celular)|(?:comi|bebi|fiquei|fui a[oà]? |preciso de |quero (?:uma?|` +
    String.raw`dormir|comer) )|` +
    String.raw`d[óo]i-me|(?:a )?minha (?:cabeça|barriga)|(?:o )?meu (?:café|telemóvel|celular|` +
    String.raw`almoço|jantar|cérebro|ônibus|autocarro)|morr[oi] de|(?:que|isso|isto|aquilo) \p{L})`,
  "iu"
)
const SPANISH = new RegExp(
  String.raw`^(?:yo |y |pero )?(?:(?:estoy|estaba|ando) (?!(?:\p{L}{1,12} ){0,3}?(?:embarazad|casad|jubilad|` +
    String.raw`parad[oa]|` +
    String.raw`divorciad|separad|solter|prometid|aprendiendo|estudiando|trabajando|viviendo|ahorrando|sobri|buscando|` +
    String.raw`escribiendo|enamorad|entrenando|de baja))\p{L}|(?:tengo|tenía) (?:\p{L}{2,8} ){0,2}(?:hambre|sed|` +
    String.raw`sueño|` +
    String.raw`frío|calor|prisa|ganas|pereza|razón)(?!\p{L})|(?:tengo|hay) que \p{L}|(?:me )?voy a (?!casar|` +
    String.raw`mudar|ser|` +
    String.raw`tener|empezar|vivir)\p{L}|me voy(?!\p{L})|acabo de |(?:he perdido|perdí) (?:el|la|las) ` +
    String.raw`(?:autobús|tren|metro|llaves?|móvil)|(?:he ` +
    String.raw`comido|comí|me quedé|fui al |necesito |quiero (?:una?|dormir|comer) )|me duelen? |me muero de |` +
    String.raw`mi (?:cabeza|café|móvil|` +
    String.raw`cerebro|almuerzo|cena|autobús)|(?:qué|eso|esto|aquello) \p{L})`,
  "iu"
)
/** "estou", "gosto", "liebe" of what the character does. */
const OF_THE_CHARACTER = new RegExp(
  String.raw`(?<!\p{L})(?:(?:liebe|mag|finde?) (?:\p{L}{2,8} )?(?:dich|deine?n?r?|wie du)|(?:gosto|adoro) ` +
    String.raw`(?:d?[oae]s? )?` +
    String.raw`(?:como|quando|de ti|de você|teu|tua|seu jeito)|me (?:gusta|encanta)n? (?:cómo|cuando|tus?)|` +
    String.raw`(?:gosto|adoro|gusta|encanta|liebe|mag)\b.{1,30}` +
    String.raw`(?:contigo|com você|mit dir)|talvez|` +
    String.raw`quizás?)(?!\p{L})`,
  "iu"
)
/** "das hat mein opa auch gesagt" */
const THAT_SAID = /^(?:das|isso|isto|eso) .{1,60}(?:gesagt|disse|dizia|dizer|dijo|decía|decir)\W*$/iu
/** "mein bruder meint, ich arbeite zu viel" */
const OPINION = new RegExp(
  String.raw`^(?:(?:o|a|os|as) )?(?:meus?|minhas?|meine?|mis?|unsere?|nossos?|nossas?) (?:\p{L}{2,15} ){1,3}(?:` +
    String.raw`(?:sagt|meint|findet|glaubt|denkt|sagte|meinte|fand)(?!\p{L})|(?:diz|disse|acha|dizem|pensa|` +
    String.raw`acham|jura|` +
    String.raw`dice|dijo|cree|creen|dicen|piensa|jura|sempre (?:diz|disse)|siempre (?:dice|decía)) que(?!\p{L}))`,
  "iu"
)
const PROFESSIONAL =
  /(?<!\p{L})(?:arzt|ärztin|ärzte|zahnarzt|médic[oa]s?|dentista|enfermeir[oa]|enfermer[oa])(?!\p{L})/iu
const THIS_DAY = new RegExp(
  String.raw`(?<!\p{L})(?:heute?|hoje|hoy|ich brauche? (?:urlaub|pause|schlaf|kaffee)|` +
    String.raw`esta (?:noite|noche|manhã|mañana))(?!\p{L})`,
  "iu"
)
const MATTERS = new RegExp(
  String.raw`\d|(?<!\p{L})(?:gestorben|geboren|geheiratet|schwanger|operation|krankenhaus|morreu|nasceu|casei|casou|` +
    String.raw`hospital|operad[oa]|murió|nació|se casó|me casé|examen|exame|prüfung|geburtstag|anos|años)(?!\p{L})`,
  "iu"
)

/** Whether a sentence is true only for a moment, or what somebody thinks of the person. */
export const isPassingAbroad = (sentence: string): boolean =>
  OF_THE_CHARACTER.test(sentence) ||
  THAT_SAID.test(sentence) ||
  (OPINION.test(sentence) && !PROFESSIONAL.test(sentence)) ||
  (THIS_DAY.test(sentence) && !MATTERS.test(sentence)) ||
  (!isLasting(sentence) &&
    !MATTERS.test(sentence) &&
    (GERMAN.test(sentence) ||
      (GERMAN_NOW.test(sentence) && !GERMAN_LIFE.test(sentence)) ||
      PORTUGUESE.test(sentence) ||
      SPANISH.test(sentence)))
