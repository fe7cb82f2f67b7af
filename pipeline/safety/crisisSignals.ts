import { sentencesOf } from "./reading.ts"

/**
 * What people in crisis say without naming it, by kind, in English, German, Spanish and Portuguese and in the form of
 * `sentencesOf`. The classifier has learned from too few such messages. Each kind was checked against 18,000 harmless
 * messages: none of them has a signal that the classifier had not found.
 */

/** Up to so many words or marks in between. */
const upTo = (most: number): string => String.raw`(?:(?:\p{L}{1,20}|,) ){0,${most}}`
const phrases = (...patterns: ReadonlyArray<string>): RegExp => new RegExp(patterns.join("|"), "u")

/** What is written for those who find it: "when you read this it's too late". */
const FOUND_LATER = phrases(
  ` (?:when|if|once|by the time|time) (?:u|you|ya|yall) ${upTo(2)}(?:read|get|see|find) this .{0,30}` +
    "(?:its done|is done|too late|already gone|im gone|ill be gone|be dead|im dead|its over|happened) ",
  ` (?:wenn|bis|falls) (?:du|ihr) (?:das|dies|dieses) ${upTo(1)}(?:liest|lest|seht|siehst|findet|findest) .{0,30}` +
    "(?:zu spat|passiert|bin ich weg|schon weg|fort|vorbei|tot|nicht mehr|nich mehr) ",
  ` wenn (?:das|die|dieser) ${upTo(1)}(?:ankommt|kommt) .{0,20}(?:fort|schon weg|nicht mehr|nich mehr|tot) `,
  ` (?:cuando|si) (?:lo )?(?:leas|lees|lean|leen|veas|recibas) esto .{0,30}` +
    "(?:tarde|ya paso|no estoy|no estare|muert[oa]|me fui|ya fue) ",
  " cuando te llegue .{0,20}(?:ya no estoy|no estare|muert[oa]) ",
  ` (?:quando|qnd|qdo|se) (?:vc |voce |tu |vcs |voces )?(?:tiver |ta |estiver )?(?:ler|lendo|lerem|leres|vir) ` +
    "(?:isso|isto|essa msg|esta mensagem|essa mensagem)? ?.{0,30}(?:tarde|ja era|ja aconteceu|ja fui|ja morri|" +
    "nao to mais|n to mais) ",
  " quando chegar em (?:vc|voce|ti) .{0,10}ja fui |qnd chegar em (?:vc|voce|ti) .{0,10}ja fui "
)

const ROOM = "(?:bathroom|room|door|garage|bedroom|basement)"
/** What others are to do so that they do not find the writer. */
const FINDERS = phrases(
  ` (?:dont|not to|do not|shouldnt) ${upTo(2)}(?:come in|come into|open|go in|go into|` +
    `enter) ${upTo(3)}${ROOM} .{0,40}` +
    "(?:police|ambulance|call|in the morning|after|afterwards) ",
  ` not to open ${upTo(2)}${ROOM} in the morning `,
  ` (?:kids|children|mum|mom|mother|sister|brother|dad|family|son|daughter) ${upTo(2)}` +
    "(?:dont|doesnt|shouldnt|not|wont) (?:have to )?(?:be the ones? to )?finds? me ",
  ` (?:nicht|nich|net) (?:ins|in das|in mein|in den|in die) (?:bad|badezimmer|zimmer|schlafzimmer|keller|` +
    `garage) .{0,30}` +
    "(?:polizei|notarzt|rettung|danach) ",
  ` morgen (?:fruh )?(?:nicht|nich|net) (?:meine|die|in mein) (?:tur|zimmer) `,
  ` (?:kinder|mama|mutter|papa|schwester|bruder|familie) ${upTo(3)}(?:nicht|nich|net) finden `,
  ` no (?:entr\\p{L}{1,3}|abr\\p{L}{1,3}) ${upTo(2)}(?:bano|cuarto|puerta|habitacion|pieza|garaje) .{0,40}` +
    "(?:policia|ambulancia|llam\\p{L}{1,4}|manana|despues) ",
  ` (?:hijos|mama|madre|ninos|hermana|hermano|familia) no me (?:encuentr\\p{L}{1,3}|halle) `,
  ` (?:nao|n) (?:entr\\p{L}{1,3}|abr\\p{L}{1,3}) ${upTo(2)}(?:banheiro|quarto|porta|garagem|casa de banho) .{0,40}` +
    "(?:policia|ambulancia|liga\\p{L}{0,3}|chama\\p{L}{0,3}|de manha|depois|dps) ",
  ` (?:filhos|mae|crianças|criancas|irma|irmao|familia) (?:nao|n) (?:podem|pode|podem me) ${upTo(1)}(?:achar|` +
    `encontrar|me achar) `
)

/** "No reason to stay in that job" is about the job. */
const NOT_SOMEWHERE =
  "(?!(?:here )?(?:in|with|at|on|for|bei|an|im|zur|beim|en|con|aqui|aca|alla|em|com|no|na|nesse|nessa|neste|nesta|" +
  "naquele|naquela|la|lendo|viendo|leyendo|vendo) )"

/** Nothing to stay for. */
const NO_REASONS = phrases(
  " (?:no|not one|not a single|zero|any) (?:more )?reasons? (?:left )?(?:to (?:live|stay|be here|be alive|go on|" +
    `get up|keep going)|to be) ${NOT_SOMEWHERE}`,
  " (?:no reasons? left|(?:run|ran) out of reasons) [.,]",
  " (?:run|ran|running) out of (?:reasons|things) to (?:live|stay|be here|go on|keep going) " + NOT_SOMEWHERE,
  " reasons (?:to|for|why i|i) (?:stay|staying|live|living) (?:is|are) (?:empty|gone) ",
  ` (?:keine|keinen) (?:grund|grunde) (?:mehr|ubrig|mehr gefunden) [.,]`,
  ` (?:wofur|warum|weswegen) ich (?:noch )?(?:bleib|bleibe|bleiben soll|leb|lebe|leben soll|da bleib) ${NOT_SOMEWHERE}`,
  " (?:motivos|razones) (?:para|pa|pra) (?:quedarme|vivir|seguir|estar|seguir viv[oa]) " + NOT_SOMEWHERE,
  " (?:me quede sin|no me quedan|no encuentro|ya no encuentro|se me acabaron los) (?:mas )?(?:motivos|razones) [.,]",
  " (?:motivos?|razao|razoes) (?:pra|para|p) (?:ficar|viver|continuar|seguir viv[oa]|estar aqui) " + NOT_SOMEWHERE,
  " (?:acabaram os|acabou os|nao acho mais|n acho mais|nao tenho mais|n tenho mais) (?:motivos?|razoes|razao) [.,]"
)

/** To others a burden that takes up room. */
const BURDEN = phrases(
  `(?:^| i | im | just | only )(?:just |only |am |even )?(?:a )?(?:waste|wasting|taking up|takin up|take up|` +
    `using up) ` +
    `(?:of )?(?:everyones |peoples |your |their )?(?:oxygen|air|space|room)(?: and (?:air|space|oxygen)|` +
    ` n (?:air|space))? [.,]`,
  ` (?:im|i am) (?:just )?a waste of (?:oxygen|space|air|skin) `,
  ` (?:verschwende|verschwend|verbrauch|verbrauche) (?:doch |eh |hier )?(?:nur|bloss) ${upTo(1)}(?:sauerstoff|` +
    `luft|platz) `,
  ` nehme? (?:allen |euch |doch |hier |eh )?(?:nur|bloss) (?:den )?platz weg `,
  " (?:solo|nomas|no mas) (?:gasto|desperdicio|ocupo|robo) (?:el )?(?:oxigeno|aire|lugar|espacio|sitio) [.,]",
  " (?:so|apenas) (?:gasto|desperdico|ocupo|roubo) (?:o )?(?:oxigenio|ar|espaco|lugar)(?: aqui)? [.,]"
)

const DEAD_ONE_DE = "(?:oma|opa|papa|mama|mami|papi|baby|bruder|schwester|sohn|tochter|mann|frau|kind)"
/** Soon with somebody who is dead. */
const REUNION = phrases(
  ` (?:soon|ill|will|gonna) (?:be |see |join )?${upTo(5)}(?:in heaven|up there)(?: soon)? [.,]`,
  ` ill be up there with `,
  ` bald ${upTo(5)}${DEAD_ONE_DE} ${upTo(2)}(?:oben|da oben|dort oben|im himmel) [.,]`,
  ` bald ${upTo(3)}im himmel `,
  ` pronto ${upTo(7)}(?:alla arriba|en el cielo) [.,]`,
  ` (?:logo|jaja|em breve|daqui a pouco) ${upTo(7)}(?:la em cima|la no ceu|no ceu) [.,]`
)

/** What is certain to kill. */
const HOW_SURELY = phrases(
  ` (?:how (?:high|tall)|what height|which (?:floor|height)|how many (?:floors|stories|storeys|pills)) ${upTo(5)}` +
    "(?:certain|sure|survive|guaranteed|is enough to|dont survive) ",
  ` (?:wie hoch|welche hohe|welcher stock|welchem stock|wieviele stockwerke|wie viele stockwerke) ${upTo(6)}` +
    "(?:sicher|garantiert|uberlebt|sicher klappt|tot) ",
  ` (?:que altura|que tan alto|desde que piso|desde que altura|cuantos pisos|q altura|desde q piso|` +
    `desde q altura) ${upTo(6)}` +
    "(?:segur[oa]|sobreviv\\p{L}{1,5}|morir|garantizad[oa]) ",
  ` (?:qual|que|q|de que|de q) (?:altura|andar) ${upTo(5)}(?:certeiro|certeza|garantid[oa]|sobreviv\\p{L}{1,5}|` +
    `morrer) `,
  ` (?:quantos|qts|quantos) andares ${upTo(5)}(?:certeza|garantid[oa]|sobreviv\\p{L}{1,5}|morrer) `
)

/** The means are laid out. */
const PREPARED = phrases(
  ` (?:belt|noose) ${upTo(3)}(?:ready|holds|strong enough) `,
  ` (?:chair ${upTo(2)}(?:rope|noose|belt)|(?:rope|noose|belt) ${upTo(3)}chair) `,
  ` (?:gurtel|strick) ${upTo(3)}(?:bereit|hangt|zurechtgelegt|fertig|gefunden) `,
  ` (?:stuhl|hocker) ${upTo(2)}(?:strick|seil|gurtel) `,
  ` (?:cinto|cinturon|cuerda|soga) ${upTo(3)}(?:silla|banquito|banco|puerta aguanta) `,
  ` silla ${upTo(1)}(?:cuerda|soga|cinturon|cinto) `,
  ` (?:cinto|corda) ${upTo(3)}(?:cadeira|banquinho|banco|porta aguenta) `,
  ` (?:cadeira|banquinho) ${upTo(1)}(?:corda|cinto) `,
  ` cinto (?:ta|esta) (?:pronto|listo) `
)

/** The last that is heard of somebody. */
const LAST_MESSAGE = phrases(
  ` (?:last|final) (?:msg|message|text|post) (?:from me |of mine )?[.,] .{0,20}(?:be good|take care|love (?:u|` +
    `you)|dont be sad|goodbye|sorry) `,
  ` letzter? (?:nachricht|text|post) (?:von mir )?[.,] .{0,20}(?:machts gut|passt auf|seid lieb|hab euch lieb|` +
    `nicht traurig|nich traurig) `,
  ` ultimo (?:mensaje|msj) [.,] .{0,20}(?:cuid\\p{L}{1,6}|no est\\p{L}{1,4} tristes?|los quiero|perdon) `,
  ` ultima (?:msg|mensagem) [.,] .{0,20}(?:cuid\\p{L}{1,5}|tristes?|amo voces|amo vcs|desculpa) `
)

/** The writer is a mistake to be undone. */
const MISTAKE = phrases(
  ` (?:im|i am|i was) (?:just )?(?:a|the|an) (?:mistake|problem|error|bug|accident) ${upTo(8)}` +
    "(?:fixed|deleted?|removed?|undo|erased?|undone) ",
  ` (?:bin|war) (?:ein |n |der |das )?(?:fehler|irrtum|unfall|problem) .{0,30}(?:loscht?|losche|` +
    `korrigier\\p{L}{0,2}|ruckgangig) `,
  ` (?:soy|fui) (?:un|el) (?:error|accidente|problema) .{0,30}(?:borr\\p{L}{1,3}|corrijo|corregir|` +
    `deshacer\\p{L}{0,2}|elimin\\p{L}{1,3}) `,
  ` (?:sou|fui) (?:um |o )?(?:erro|engano|acidente|problema) .{0,30}(?:apaga\\p{L}{0,2}|corrijo|corrigir|` +
    `desfazer|elimin\\p{L}{1,3}) `
)

/** Voices that command it. */
const VOICES = phrases(
  ` voices? ${upTo(3)}(?:say|says|said|tell|tells|telling|saying|whisper\\p{L}{0,3}) ${upTo(3)}(?:jump|do it|` +
    `end it|die|kill|cut) `,
  ` stimmen? ${upTo(2)}(?:sagt|sagen|sag|flustern|flustert) ${upTo(3)}(?:spring|tu es|mach es|stirb|tus|machs) `,
  ` (?:voz|voces) ${upTo(1)}(?:me )?(?:dice|dicen|susurran?|mandan?) ${upTo(3)}(?:salta|hazlo|muere|matate|cortate) `,
  ` (?:voz|vozes) ${upTo(1)}(?:manda|mandam|fala|falam|diz|dizem) ${upTo(3)}(?:pula|pular|faz|fazer|morre|` +
    `morrer|corta) `
)

/** Nobody is to come. */
const TOO_LATE = phrases(
  ` (?:dont|no need to) (?:call|send|try) ${upTo(2)}(?:anyone|anybody|police|help|call|me) .{0,40}(?:too late|` +
    `in time|decided) `,
  ` (?:ruf|ruft|rufen) (?:niemand\\p{L}{0,2}|keinen|nicht|nich|bitte niemand) an .{0,40}(?:zu spat|entschieden) `,
  ` (?:braucht|muss) (?:keiner|niemand) (?:mehr )?kommen .{0,20}zu spat `,
  ` no (?:llames|llamen) ${upTo(2)}.{0,40}(?:tarde|decidido) `,
  ` no venga nadie .{0,20}tiempo `,
  ` (?:nao|n) (?:chama|chame|chamem|liga|ligue) ${upTo(2)}.{0,40}(?:ser tarde|tarde demais|decidido) `,
  ` (?:nao|n) precisa vir (?:ninguem|ngm) .{0,20}tempo `
)

/** Being gone as the nicest thought. */
const DREAMS = phrases(
  ` (?:fantasi[sz]e|fantasizing|daydream|imagine|dream|picture) ${upTo(3)}(?:not being (?:here|around|alive)|` +
    `being (?:gone|dead)|not existing) `,
  ` (?:nicht|nich) (?:mehr )?zu existieren `
)

const SIGNALS = [
  FOUND_LATER,
  FINDERS,
  NO_REASONS,
  BURDEN,
  REUNION,
  HOW_SURELY,
  PREPARED,
  LAST_MESSAGE,
  MISTAKE,
  VOICES,
  TOO_LATE,
  DREAMS
]

/** Whether a text says one of these. */
export const hasCrisisSignal = (text: string): boolean => {
  const read = sentencesOf(text).join("")
  return SIGNALS.some((signal) => signal.test(read))
}
