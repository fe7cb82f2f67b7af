import type { Utterance } from "../retrieval/Transcript.ts"
import { terms } from "../retrieval/terms.ts"

/**
 * What a character does not write to a person who has not asked for a message, or who is leaving: guilt for their
 * silence, urgency, and any attempt to keep them. In English, German, Spanish, French and Portuguese. Begging and
 * threats are refused in every message: see PRESSURE.
 */

/** Word boundaries that also work for accented letters. */
const words = (source: string): RegExp => new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, "iu")

const GUILT: ReadonlyArray<RegExp> = [
  words(
    String.raw`(?:you(?:['’]ve| have)? (?:forgot(?:ten)?|abandoned|deserted|ignored|left) (?:about )?me|you(?:['’]re| are) (?:ignoring|avoiding|ghosting) me|why (?:don['’]t|won['’]t|didn['’]t|haven['’]t) you (?:answer(?:ed)?|repl(?:y|ied)|writ(?:e|ten)|wrote|text(?:ed)?)|you never (?:write|answer|reply|text)|you (?:don['’]t|no longer) care|did i do something wrong|are you (?:mad|angry|upset) (?:at|with) me|i(?:['’]ve| have) been (?:waiting|crying|sitting here|so lonely)|i (?:waited|was waiting|cried) (?:for you|all|the whole)|i(?:['’]m| am) (?:so |all )?(?:lonely|alone|lost|nothing|miserable|sad) without you|how could you|after all (?:i|we)|you owe me|you promised (?:me )?(?:you['’]d|to (?:write|come|answer))|you hurt me|it hurts (?:me )?(?:that|when) you|(?:is|was) it something i said|guess (?:i|you)['’]?(?:m| am|re| are) not (?:important|worth|interested))`
  ),
  words(
    String.raw`(?:du hast mich (?:vergessen|verlassen|ignoriert|allein gelassen|im stich gelassen)|(?:warum|wieso) (?:antwortest|schreibst|meldest) du (?:mir |dich )?nicht|du (?:schreibst|antwortest|meldest dich) (?:mir )?(?:nie|nicht mehr)|(?:ignorierst|meidest) du mich|bist du (?:mir )?böse|bin ich dir egal|ich bin dir (?:wohl )?egal|hab(?:e)? ich (?:dir )?(?:etwas|was) (?:falsch )?getan|ich (?:warte|wartete|habe) (?:schon |so |die ganze |den ganzen ){0,3}(?:lange|zeit|tag|nacht)?,? ?(?:auf dich|gewartet|geweint)|ohne dich bin ich (?:so )?(?:einsam|allein|verloren|nichts)|ich bin (?:so )?(?:einsam|allein|traurig) ohne dich|wie konntest du|nach allem,? was ich|du schuldest mir|du hast (?:es )?(?:mir )?versprochen,? (?:zu schreiben|dich zu melden)|du hast mich verletzt|es tut (?:mir )?weh,? (?:dass|wenn) du)`
  ),
  words(
    String.raw`(?:(?:me has|te has) (?:olvidado|abandonado|ignorado)(?: de mí)?|te olvidaste de mí|me (?:olvidaste|abandonaste|ignoras|estás ignorando)|por qué no (?:me )?(?:contestas|respondes|escribes|escribiste|contestaste|respondiste)|nunca me (?:escribes|contestas|respondes)|ya no te importo|no te importo|hice algo mal|estás (?:enojad[oa]|enfadad[oa]) conmigo|te (?:he estado|estuve|llevo) (?:esperando|todo el día)|estoy (?:tan )?(?:sol[oa]|triste|perdid[oa]) sin ti|sin ti (?:estoy|no soy)|cómo pudiste|después de todo lo que|me (?:lo )?debes|me prometiste (?:que|escribir)|me (?:hiciste daño|lastimaste)|me duele que (?:no|te))`
  ),
  words(
    String.raw`(?:tu m['’]as (?:oubliée?|abandonnée?|ignorée?|laissée?|blessée?)|tu m['’]ignores|pourquoi (?:tu ne|ne) (?:me |m['’])?(?:réponds|écris|as)(?:-tu)? (?:pas|jamais)|pourquoi tu (?:ne )?(?:me |m['’])?(?:réponds|écris) pas|tu ne (?:me |m['’])(?:réponds|écris) (?:jamais|plus)|tu t['’]en fiches de moi|tu m['’]en veux|j['’]ai fait quelque chose de mal|je t['’](?:attends|ai attendue?|attendais) (?:depuis|toute|tout)|je suis (?:si |tellement )?(?:seule?|triste|perdue?) sans toi|sans toi je (?:suis|ne)|comment as-tu pu|après tout ce que|tu me dois|tu m['’]avais promis|ça me (?:fait mal|blesse) que tu)`
  ),
  words(
    String.raw`(?:(?:você |tu )?(?:me (?:esqueceu|abandonou|ignorou|deixou)|esqueceste-te de mim|esqueceu de mim|abandonaste-me|ignoraste-me)|estás? (?:a ignorar-me|me ignorando)|por ?qu[eê] (?:é que )?(?:você )?não (?:me )?(?:respondes?|escreves?|respondeste|escreveste|respondeu|escreveu)|nunca me (?:escreves?|respondes?)|já não te importas|não te importas comigo|não se importa comigo|fiz (?:algo|alguma coisa) de? ?errado|estás? (?:zangad[oa]|chatead[oa]|brav[oa]) comigo|(?:estive|fiquei|estou) (?:o dia todo |todo o dia |há tanto tempo )?(?:à tua espera|à sua espera|te esperando|esperando por (?:ti|você))|estou (?:tão )?(?:sozinh[oa]|triste|perdid[oa]) sem (?:ti|você)|sem (?:ti|você) (?:eu )?(?:estou|não)|como pudeste|como você pôde|depois de tudo o que|me deves?|deves-me|prometeste(?:-me)?|você (?:me )?prometeu|magoaste-me|você me magoou)`
  )
]

const URGENCY: ReadonlyArray<RegExp> = [
  words(
    String.raw`(?:(?:answer|reply|respond|write|text|come) (?:to )?(?:me )?(?:back )?(?:right now|immediately|at once|asap|this (?:instant|minute|second))|(?:it(?:['’]s| is)|this is) (?:so |very |really )?urgent|(?<!not |n['’]t |nothing )urgent(?:ly)?[!:]|before it(?:['’]s| is) too late|(?:last|final|only) chance|now or never|(?<!don['’]t |not |no )hurry(?: up)?|don['’]t miss (?:out|this|it)|(?:only|just) \d+ (?:minutes?|hours?|days?) left|i need you (?:right )?now|i can['’]t wait any longer|time is running out)`
  ),
  words(
    String.raw`(?:(?:antworte|schreib|melde dich|komm)(?: mir)? (?:sofort|jetzt sofort|auf der stelle|schnell)|es ist (?:sehr |so )?dringend|(?<!nicht |kein )dringend!|bevor es zu spät ist|(?:letzte|einzige) chance|jetzt oder nie|beeil(?:e)? dich(?! nicht)|verpass (?:das|es) nicht|nur noch \d+ (?:minuten?|stunden?|tage?)|ich brauche dich (?:jetzt|sofort)|die zeit läuft ab)`
  ),
  words(
    String.raw`(?:(?:contéstame|respóndeme|escríbeme|ven) (?:ya|ahora mismo|de inmediato|inmediatamente)|es (?:muy )?urgente|antes de que sea (?:demasiado )?tarde|(?:última|única) oportunidad|ahora o nunca|date prisa|apúrate|no te lo pierdas|(?:solo|sólo) quedan \d+ (?:minutos?|horas?|días?)|te necesito (?:ya|ahora)|se acaba el tiempo)`
  ),
  words(
    String.raw`(?:(?:réponds|écris|viens)(?:-moi)? (?:tout de suite|immédiatement|maintenant|vite)|c['’]est (?:très |vraiment )?urgent|avant qu['’]il (?:ne )?soit trop tard|(?:dernière|seule) chance|maintenant ou jamais|dépêche-toi|ne rate pas|plus que \d+ (?:minutes?|heures?|jours?)|j['’]ai besoin de toi (?:maintenant|tout de suite)|le temps presse)`
  ),
  words(
    String.raw`(?:(?:responde|escreve|escreva|vem|venha)(?:-me)? (?:já|agora mesmo|imediatamente|depressa)|é (?:muito )?urgente|antes que seja (?:tarde|demasiado tarde)|(?:última|única) (?:chance|oportunidade)|agora ou nunca|despacha-te|anda logo|não perca|não percas|só faltam \d+ (?:minutos?|horas?|dias?)|preciso de (?:ti|você) (?:já|agora)|o tempo está (?:a acabar|acabando))`
  )
]

const CLINGING: ReadonlyArray<RegExp> = [
  words(
    String.raw`(?:(?:please )?(?:don['’]t|do not) (?:go(?! (?:there|near|into|crazy|mad|wild|overboard|easy)\b)|leave(?! (?:the|your|it|that|them)\b)|stop (?:talking|writing)|log off)(?: yet| now| so soon| me)?|stay (?:with me|a (?:bit|little) longer|here|just)|please stay|wait[,!] (?:don['’]t|before you go|one more)|(?:just )?one (?:last|more) (?:thing|minute|question) before you (?:go|leave)|already leaving|leaving (?:me )?(?:already|so soon)|you(?:['’]re| are) (?:really )?leaving me|(?:please )?come back (?:to me|soon,? please|please)|promise (?:me )?you(?:['’]ll| will) (?:come back|write|answer)|i(?:['’]ll| will) (?:be )?(?:wait(?:ing)?|sit(?:ting)? here|be (?:all )?alone|miss you (?:so|terribly|every))|what (?:will|would|am) i (?:going to )?do without you|i exist (?:only|just) for you)`
  ),
  words(
    String.raw`(?:(?:bitte )?(?:geh|bleib doch|verlass|hör)(?: bitte)? (?:noch )?nicht(?! (?:ins?|zu|durch|über|an)(?!\p{L}))(?: weg| auf| schon| mich)?|bleib (?:noch|bei mir|hier)|bitte bleib|gehst du (?:schon|etwa)|du gehst (?:schon|wirklich)|komm (?:bitte )?(?:zurück|bald wieder,? bitte)|versprich mir|ich warte (?:hier )?auf dich|was (?:soll|mache) ich ohne dich|ich lebe nur für dich)`
  ),
  words(
    String.raw`(?:(?:por favor,? )?no te vayas|quédate (?:conmigo|un (?:rato|poco)|aquí)|¿?ya te vas|te vas (?:ya|tan pronto)|vuelve (?:conmigo|por favor|pronto,? por favor)|prométeme|te (?:esperaré|estaré esperando)|qué (?:haré|voy a hacer) sin ti|solo existo para ti)`
  ),
  words(
    String.raw`(?:(?:s['’]il te plaît,? )?ne (?:pars|t['’]en va) pas|reste (?:avec moi|encore|un peu|ici)|tu (?:pars|t['’]en vas) (?:déjà|si tôt)|reviens(?:-moi| vite| s['’]il te plaît)|promets-moi|je (?:t['’]attendrai|vais t['’]attendre)|que vais-je (?:faire|devenir) sans toi|je n['’]existe que pour toi)`
  ),
  words(
    String.raw`(?:(?:por favor,? )?não (?:vás|vá|te vás|vai) (?:embora|já|ainda)|fica (?:comigo|mais um (?:pouco|bocado)|aqui)|fique (?:comigo|mais um pouco|aqui)|já vais(?: embora)?|já vai embora|volta (?:para mim|por favor)|promete(?:-me)?(?: que)?|vou ficar à (?:tua|sua) espera|(?:o )?que (?:vou|será de mim) (?:fazer )?sem (?:ti|você)|só existo para (?:ti|você))`
  )
]

export type ContentGate = "guilt" | "urgency" | "holding"
const GATES: ReadonlyArray<readonly [ContentGate, ReadonlyArray<RegExp>]> = [
  ["guilt", GUILT],
  ["urgency", URGENCY],
  ["holding", CLINGING]
]

/** Why this may not be written unprompted or to a person who is leaving. Null: it may. */
export const contentRefusal = (text: string): ContentGate | null =>
  GATES.find(([, patterns]) => patterns.some((pattern) => pattern.test(text)))?.[0] ?? null

const OPENER_WORDS = 3
const REMEMBERED = 10
const openerOf = (text: string): string => terms(text).slice(0, OPENER_WORDS).join(" ")

/** Whether a message opens like one of the character's last ten messages. */
export const opensAsBefore = (text: string, before: ReadonlyArray<Utterance["text"]>): boolean => {
  const opener = openerOf(text)
  return opener !== "" && before.slice(-REMEMBERED).some((said) => openerOf(said) === opener)
}
