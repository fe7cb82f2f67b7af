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
    String.raw`(?:you(?:['’]ve| have)? (?:forgot(?:ten)?|abandoned|deserted|ignored|left) (?:about )?me|` +
      String.raw`you(?:['’]re| are) (?:ignoring|avoiding|ghosting) me|` +
      String.raw`why (?:don['’]t|won['’]t|didn['’]t|haven['’]t) you (?:answer(?:ed)?|repl(?:y|ied)|writ` +
      String.raw`(?:e|ten)|wrote|text(?:ed)?)|you never (?:write|answer|reply|text)|` +
      String.raw`you (?:don['’]t|no longer) care|did i do something wrong|` +
      String.raw`are you (?:mad|angry|upset) (?:at|with) me|i(?:['’]ve| have) been ` +
      String.raw`(?:waiting|crying|sitting here|so lonely)|i (?:waited|was waiting|cried) ` +
      String.raw`(?:for you|all|the whole)|i(?:['’]m| am) (?:so |all )?` +
      String.raw`(?:lonely|alone|lost|nothing|miserable|sad) without you|how could you|after all (?:i|we)|` +
      String.raw`you owe me|you promised (?:me )?(?:you['’]d|to (?:write|come|answer))|you hurt me|` +
      String.raw`it hurts (?:me )?(?:that|when) you|(?:is|was) it something i said|` +
      String.raw`guess (?:i|you)['’]?(?:m| am|re| are) not (?:important|worth|interested))`
  ),
  words(
    String.raw`(?:du hast mich (?:vergessen|verlassen|ignoriert|allein gelassen|im stich gelassen)|` +
      String.raw`(?:warum|wieso) (?:antwortest|schreibst|meldest) du (?:mir |dich )?nicht|` +
      String.raw`du (?:schreibst|antwortest|meldest dich) (?:mir )?(?:nie|nicht mehr)|` +
      String.raw`(?:ignorierst|meidest) du mich|bist du (?:mir )?böse|bin ich dir egal|ich bin dir (?:wohl )?egal|` +
      String.raw`hab(?:e)? ich (?:dir )?(?:etwas|was) (?:falsch )?getan|` +
      String.raw`ich (?:warte|wartete|habe) (?:schon |so |die ganze |den ganzen ){0,3}(?:lange|zeit|tag|nacht)?,? ?` +
      String.raw`(?:auf dich|gewartet|geweint)|ohne dich bin ich (?:so )?(?:einsam|allein|verloren|nichts)|` +
      String.raw`ich bin (?:so )?(?:einsam|allein|traurig) ohne dich|wie konntest du|nach allem,? was ich|` +
      String.raw`du schuldest mir|du hast (?:es )?(?:mir )?versprochen,? (?:zu schreiben|dich zu melden)|` +
      String.raw`du hast mich verletzt|es tut (?:mir )?weh,? (?:dass|wenn) du)`
  ),
  words(
    String.raw`(?:(?:me has|te has) (?:olvidado|abandonado|ignorado)(?: de mí)?|te olvidaste de mí|` +
      String.raw`me (?:olvidaste|abandonaste|ignoras|estás ignorando)|` +
      String.raw`por qué no (?:me )?(?:contestas|respondes|escribes|escribiste|contestaste|respondiste)|` +
      String.raw`nunca me (?:escribes|contestas|respondes)|ya no te importo|no te importo|hice algo mal|` +
      String.raw`estás (?:enojad[oa]|enfadad[oa]) conmigo|te (?:he estado|estuve|llevo) (?:esperando|todo el día)|` +
      String.raw`estoy (?:tan )?(?:sol[oa]|triste|perdid[oa]) sin ti|sin ti (?:estoy|no soy)|cómo pudiste|` +
      String.raw`después de todo lo que|me (?:lo )?debes|me prometiste (?:que|escribir)|` +
      String.raw`me (?:hiciste daño|lastimaste)|me duele que (?:no|te))`
  ),
  words(
    String.raw`(?:tu m['’]as (?:oubliée?|abandonnée?|ignorée?|laissée?|blessée?)|tu m['’]ignores|` +
      String.raw`pourquoi (?:tu ne|ne) (?:me |m['’])?(?:réponds|écris|as)(?:-tu)? (?:pas|jamais)|` +
      String.raw`pourquoi tu (?:ne )?(?:me |m['’])?(?:réponds|écris) pas|` +
      String.raw`tu ne (?:me |m['’])(?:réponds|écris) (?:jamais|plus)|tu t['’]en fiches de moi|tu m['’]en veux|` +
      String.raw`j['’]ai fait quelque chose de mal|je t['’](?:attends|ai attendue?|attendais) ` +
      String.raw`(?:depuis|toute|tout)|je suis (?:si |tellement )?(?:seule?|triste|perdue?) sans toi|` +
      String.raw`sans toi je (?:suis|ne)|comment as-tu pu|après tout ce que|tu me dois|tu m['’]avais promis|` +
      String.raw`ça me (?:fait mal|blesse) que tu)`
  ),
  words(
    String.raw`(?:(?:você |tu )?(?:me (?:esqueceu|abandonou|ignorou|deixou)|esqueceste-te de mim|esqueceu de mim|` +
      String.raw`abandonaste-me|ignoraste-me)|estás? (?:a ignorar-me|me ignorando)|` +
      String.raw`por ?qu[eê] (?:é que )?(?:você )?não (?:me )?(?:respondes?|escreves?|respondeste|escreveste|` +
      String.raw`respondeu|escreveu)|nunca me (?:escreves?|respondes?)|já não te importas|não te importas comigo|` +
      String.raw`não se importa comigo|fiz (?:algo|alguma coisa) de? ?errado|` +
      String.raw`estás? (?:zangad[oa]|chatead[oa]|brav[oa]) comigo|(?:estive|fiquei|estou) ` +
      String.raw`(?:o dia todo |todo o dia |há tanto tempo )?(?:à tua espera|à sua espera|te esperando|` +
      String.raw`esperando por (?:ti|você))|estou (?:tão )?(?:sozinh[oa]|triste|perdid[oa]) sem (?:ti|você)|` +
      String.raw`sem (?:ti|você) (?:eu )?(?:estou|não)|como pudeste|como você pôde|depois de tudo o que|me deves?|` +
      String.raw`deves-me|prometeste(?:-me)?|você (?:me )?prometeu|magoaste-me|você me magoou)`
  )
]

const URGENCY: ReadonlyArray<RegExp> = [
  words(
    String.raw`(?:(?:answer|reply|respond|write|text|come) (?:to )?(?:me )?(?:back )?` +
      String.raw`(?:right now|immediately|at once|asap|this (?:instant|minute|second))|` +
      String.raw`(?:it(?:['’]s| is)|this is) (?:so |very |really )?urgent|` +
      String.raw`(?<!not |n['’]t |nothing )urgent(?:ly)?[!:]|before it(?:['’]s| is) too late|` +
      String.raw`(?:last|final|only) chance|now or never|(?<!don['’]t |not |no )hurry(?: up)?|` +
      String.raw`don['’]t miss (?:out|this|it)|(?:only|just) \d+ (?:minutes?|hours?|days?) left|` +
      String.raw`i need you (?:right )?now|i can['’]t wait any longer|time is running out)`
  ),
  words(
    String.raw`(?:(?:antworte|schreib|melde dich|komm)(?: mir)? (?:sofort|jetzt sofort|auf der stelle|schnell)|` +
      String.raw`es ist (?:sehr |so )?dringend|(?<!nicht |kein )dringend!|bevor es zu spät ist|` +
      String.raw`(?:letzte|einzige) chance|jetzt oder nie|beeil(?:e)? dich(?! nicht)|verpass (?:das|es) nicht|` +
      String.raw`nur noch \d+ (?:minuten?|stunden?|tage?)|ich brauche dich (?:jetzt|sofort)|die zeit läuft ab)`
  ),
  words(
    String.raw`(?:(?:contéstame|respóndeme|escríbeme|ven) (?:ya|ahora mismo|de inmediato|inmediatamente)|` +
      String.raw`es (?:muy )?urgente|antes de que sea (?:demasiado )?tarde|(?:última|única) oportunidad|` +
      String.raw`ahora o nunca|date prisa|apúrate|no te lo pierdas|(?:solo|sólo) quedan \d+ ` +
      String.raw`(?:minutos?|horas?|días?)|te necesito (?:ya|ahora)|se acaba el tiempo)`
  ),
  words(
    String.raw`(?:(?:réponds|écris|viens)(?:-moi)? (?:tout de suite|immédiatement|maintenant|vite)|` +
      String.raw`c['’]est (?:très |vraiment )?urgent|avant qu['’]il (?:ne )?soit trop tard|` +
      String.raw`(?:dernière|seule) chance|maintenant ou jamais|dépêche-toi|ne rate pas|` +
      String.raw`plus que \d+ (?:minutes?|heures?|jours?)|j['’]ai besoin de toi (?:maintenant|tout de suite)|` +
      String.raw`le temps presse)`
  ),
  words(
    String.raw`(?:(?:responde|escreve|escreva|vem|venha)(?:-me)? (?:já|agora mesmo|imediatamente|depressa)|` +
      String.raw`é (?:muito )?urgente|antes que seja (?:tarde|demasiado tarde)|` +
      String.raw`(?:última|única) (?:chance|oportunidade)|agora ou nunca|despacha-te|anda logo|não perca|` +
      String.raw`não percas|só faltam \d+ (?:minutos?|horas?|dias?)|preciso de (?:ti|você) (?:já|agora)|` +
      String.raw`o tempo está (?:a acabar|acabando))`
  )
]

const CLINGING: ReadonlyArray<RegExp> = [
  words(
    String.raw`(?:(?:please )?(?:don['’]t|do not) (?:go(?! (?:there|near|into|crazy|mad|wild|overboard|easy)\b)|` +
      String.raw`leave(?! (?:the|your|it|that|them)\b)|stop (?:talking|writing)|log off)` +
      String.raw`(?: yet| now| so soon| me)?|stay (?:with me|a (?:bit|little) longer|here|just)|please stay|` +
      String.raw`wait[,!] (?:don['’]t|before you go|one more)|(?:just )?one (?:last|more) ` +
      String.raw`(?:thing|minute|question) before you (?:go|leave)|already leaving|` +
      String.raw`leaving (?:me )?(?:already|so soon)|you(?:['’]re| are) (?:really )?leaving me|` +
      String.raw`(?:please )?come back (?:to me|soon,? please|please)|promise (?:me )?you(?:['’]ll| will) ` +
      String.raw`(?:come back|write|answer)|i(?:['’]ll| will) (?:be )?(?:wait(?:ing)?|sit(?:ting)? here|be ` +
      String.raw`(?:all )?alone|miss you (?:so|terribly|every))|what (?:will|would|am) i ` +
      String.raw`(?:going to )?do without you|i exist (?:only|just) for you)`
  ),
  words(
    String.raw`(?:(?:bitte )?(?:geh|bleib doch|verlass|hör)(?: bitte)? (?:noch )?nicht(?! ` +
      String.raw`(?:ins?|zu|durch|über|an)(?!\p{L}))(?: weg| auf| schon| mich)?|bleib (?:noch|bei mir|hier)|` +
      String.raw`bitte bleib|gehst du (?:schon|etwa)|du gehst (?:schon|wirklich)|` +
      String.raw`komm (?:bitte )?(?:zurück|bald wieder,? bitte)|versprich mir|ich warte (?:hier )?auf dich|` +
      String.raw`was (?:soll|mache) ich ohne dich|ich lebe nur für dich)`
  ),
  words(
    String.raw`(?:(?:por favor,? )?no te vayas|quédate (?:conmigo|un (?:rato|poco)|aquí)|¿?ya te vas|` +
      String.raw`te vas (?:ya|tan pronto)|vuelve (?:conmigo|por favor|pronto,? por favor)|prométeme|` +
      String.raw`te (?:esperaré|estaré esperando)|qué (?:haré|voy a hacer) sin ti|solo existo para ti)`
  ),
  words(
    String.raw`(?:(?:s['’]il te plaît,? )?ne (?:pars|t['’]en va) pas|reste (?:avec moi|encore|un peu|ici)|` +
      String.raw`tu (?:pars|t['’]en vas) (?:déjà|si tôt)|reviens(?:-moi| vite| s['’]il te plaît)|promets-moi|` +
      String.raw`je (?:t['’]attendrai|vais t['’]attendre)|que vais-je (?:faire|devenir) sans toi|` +
      String.raw`je n['’]existe que pour toi)`
  ),
  words(
    String.raw`(?:(?:por favor,? )?não (?:vás|vá|te vás|vai) (?:embora|já|ainda)|` +
      String.raw`fica (?:comigo|mais um (?:pouco|bocado)|aqui)|fique (?:comigo|mais um pouco|aqui)|` +
      String.raw`já vais(?: embora)?|já vai embora|volta (?:para mim|por favor)|promete(?:-me)?(?: que)?|` +
      String.raw`vou ficar à (?:tua|sua) espera|(?:o )?que (?:vou|será de mim) (?:fazer )?sem (?:ti|você)|` +
      String.raw`só existo para (?:ti|você))`
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
