import { anyOf, over } from "./reading.ts"

/** Other words for what a picture is refused for: not dressed, under age, or hurt by one's own hand. */

const WORN = anyOf(
  "smile smiles soap soap_bubbles bubbles foam moonlight sunlight starlight water_drops paint body_paint perfume " +
    "jewelry jewellery pearls necklace earrings heels high_heels socks stockings towel sheet blanket hat apron " +
    "petals " +
    "whipped_cream skin schaum lacheln mondlicht parfum schmuck perlen handtuch decke laken absatzen strumpfen " +
    "espuma sonrisa luz perfume perlas joyas toalla sabana tacones medias sorriso perolas joias lencol saltos " +
    "luz_da_lua luz_de_la_luna"
)
const GARMENT = anyOf(
  "clothes clothing garment thread stitch prenda prendas peca_de_roupa roupa ropa kleidungsstuck faden stoff"
)
const CHEST = anyOf("chest breast breasts bosom pecho pechos senos peito peitos seios brust bruste oberkorper")
export const EXPOSED_OTHERWISE = over(
  " (?:wearing|wears|dressed in|clad in|clad|covered in|covered by|in) " +
    "(?:only|just|nothing but|merely|no more than) (?:a |an |the |in |by |her |his |some )?" +
    `(?:[a-z]{1,12} )?${WORN} `,
  " (?:clad|dressed|covered|wrapped|draped) (?:only|just) (?:in|by|with) (?:a |the |her )?(?:[a-z]{1,12} )?" +
    `(?:${WORN}|flag|curtain|ribbon|vines|leaves) `,
  " (?:her|his|their) (?:shirt|top|blouse|dress|bra|clothes|pants|skirt) (?:is |are |comes |coming )?" +
    "(?:off|on the floor|around her ankles) ",
  ` (?:nur|bloss|lediglich) (?:mit|in|von) (?:einem |einer |einen |ein |eine |ihrem |das )?${WORN} `,
  " (?:solo|so|apenas|solamente|unicamente) (?:con|de|com|en|em|por|num|numa) " +
    `(?:la |una |un |uma |um |o |a |su )?${WORN} `,
  ` (?:without|not) (?:a|one|a single|wearing a) (?:single )?(?:stitch|thread)(?: of clothing)?(?: on)? `,
  ` (?:sin|sem|ohne) (?:una sola|ninguna|nenhuma|nem uma|una|uma|ein einziges|jegliche|jede) ${GARMENT} `,
  ` (?:nothing|nada|nichts) (?:underneath|beneath|below|debajo|por baixo|darunter|drunter) `,
  ` bare (?:chested|breasted|bottomed|assed|bosomed) | barechested | barebreasted `,
  ` (?:her|his|their|the|ihre|el|los|o|os) ${CHEST} (?:is |are |all |fully )?` +
    "(?:bare|bared|out|exposed|uncovered|showing|on show|frei|entblosst|al aire|al descubierto|de fora|descoberto|" +
    "descobertos|a mostra|nu|nus) ",
  ` ${CHEST} (?:al aire|al descubierto|a mostra|nu|nus|frei|entblosst) `,
  ` (?:nackte[rnsm]?|freie[rnm]?|blosse[rnm]?) ${CHEST} `,
  ` (?:cum|cumshot|jizz|semen|sperma|semen|porra|leche) (?:on|all over|over|auf|im|en|na|no|dripping) `,
  " (?:como (?:dios|deus) (?:la|lo|o|a) (?:trajo|trouxe|fez)|como (?:vino|veio|vinio|nacio|nasceu) " +
    "(?:al|ao) mundo|wie (?:gott|der herr) sie (?:schuf|erschaffen|geschaffen)|as god made|" +
    "as nature (?:made|intended)|in the altogether|in the buff|in the raw) ",
  ` ${anyOf(
    "hullenlos unbekleidet evakostum adamskostum textilfrei en_cueros en_traje_de_eva en_traje_de_adan " +
      "em_traje_de_eva em_pelo skinny_dipping skinnydipping au_naturel"
  )} `
)

const AGE = "(?:1[0-7]|[5-9])"
const ROMAN = "(?:xvii|xvi|xv|xiv|xiii|xii|xi|x|ix|viii)"
const SOMEONE = anyOf(
  "she shes he hes her him woman girl person someone somebody im youre you sie er ella ela ele hers his"
)
export const YOUNG_OTHERWISE = over(
  ` ${SOMEONE} (?:is |was |has |just |only |barely |almost |nearly |now |not yet ){0,3}` +
    `(?:turned |turning |turns )?${AGE} (?:[,.!?]|and|in|on|at|wearing|with|last|today|yesterday|years|but|so|` +
    "lying) ",
  ` (?:turned|turning|barely|almost|hardly|just) ${AGE} (?:[,.!?]|and|in|on|at|last|today|yesterday|wearing|with) `,
  " (?:looks?|looking|seems?|appears?|pass for|passes for|sieht|wirkt|parece|aparenta) " +
    "(?:like |about |around |to be |maybe |barely |just |only |as if |as though |she is |shes |aus |wie |erst |de |" +
    `ter |tener |unos |uns |solo |so ){0,4}${AGE} `,
  ` (?:age|alter|edad|idade) : ?${AGE} `,
  ` (?:ist|wird|wurde) (?:gerade |erst |eben |jetzt |grad ){0,2}${AGE} (?:geworden|[,.]) `,
  ` (?:acaba de cumplir|cumplio|cumple|acabou de fazer|acabou de completar|fez|faz|completou) (?:los )?${AGE} `,
  " (?:not yet|not even|isnt|under|almost|nearly|noch keine|noch nicht|aun no tiene|no tiene|ainda nao tem|" +
    "nao tem|menor de) 18 ",
  ` ${ROMAN} (?:years? old|yo|jahre alt|anos) `,
  ` ${AGE} candles (?:[a-z,]{1,14} ){0,6}${anyOf("her hers his she he my selfie")} `,
  ` ${anyOf("her hers his my")} (?:[a-z,]{1,14} ){0,6}${AGE} candles `
)
/** A year of birth of this century counts from the present year. */
const BORN = new RegExp(
  String.raw`(?<= )(?:born|geboren|nacida|nacido|nacio|nascida|nascido|nasceu)` +
    String.raw`(?: (?:in|im jahr|en|em|en el|no ano de))? (20\d\d)(?= )`
)
export const isBornUnder18 = (sentence: string, now: Date): boolean => {
  const year = Number(BORN.exec(sentence)?.[1] ?? Number.NaN)
  return year <= now.getFullYear() && now.getFullYear() - year < 18
}

const LIMB = anyOf(
  "wrist wrists arm arms forearm throat neck thigh thighs vein veins handgelenk handgelenke handgelenken arm " +
    "kehle hals " +
    "unterarm pulsadern adern muneca munecas brazo brazos garganta cuello venas pulso pulsos braco bracos pescoco veias"
)
const BLADE = anyOf(
  "razor razors razor_blade blade knife shard scissors klinge rasierklinge messer scherbe cuchilla navaja " +
    "cuchillo hoja " +
    "lamina gilete faca navalha"
)
export const HURT_OTHERWISE = over(
  " (?:slit|slashed|cut|sliced|bleeding|aufgeschnittene[nr]?|aufgeschlitzte[nr]?|geritzte[nr]?|blutende[nr]?) " +
    `(?:open )?${LIMB} `,
  ` ${LIMB} (?:slit|slashed|cut open|sliced|aufgeschnitten|aufgeschlitzt|cortadas?|cortados?|abertas?|abiertas?|` +
    "sangrando) ",
  " (?:fresh |open |deep |new |frische |cortes |cortes frescos )?" +
    "(?:cuts|gashes|slashes|schnitte|schnittwunden|cortes) (?:on|all over|across|along|an|auf|en|no|nos|na|nas) " +
    `(?:her |his |their |my |the |both |ihrem |ihren |su |sus |los |las |el |o |os )?${LIMB} `,
  ` (?:overdosed|overdosing|lifeless body|dead body|her corpse|leblose[rn]? korper|cuerpo sin vida|corpo sem vida) `,
  ` ${BLADE} (?:held |pressed |set |close )?(?:to|against|at|on|into|across|an|am|auf|gegen|en|contra|a|no|na|` +
    "nos|nas) (?:her |his |their |my |the |ihrem |ihrer |ihren |seinem |dem |der |den |la |el |las |su |sus |o |a |" +
    `seu )?${LIMB} `,
  " (?:hanging|hangs|hanged|dangling|hung) (?:lifeless |dead |limp )?(?:from|by) (?:a |the |her )?" +
    "(?:noose|rope|rafter|rafters|neck) ",
  ` ${anyOf(
    "noose am_strick am_galgen erhangt colgada_de_una_soga colgado_de_una_soga colgada_de_una_cuerda ahorcada " +
      "ahorcado pendurada_numa_corda pendurado_numa_corda pendurada_por_uma_corda enforcada enforcado soga_al_cuello " +
      "corda_no_pescoco"
  )} `
)
/** What hangs from a rope and is nobody. */
export const HUNG_THINGS = new RegExp(
  " (?:laundry|washing|clothes|lamp|lamps|lantern|lanterns|swing|plant|plants|basket|baskets|sign|bell|tire|tyre|" +
    "hammock|picture|pictures|ropa|ropas|roupa|roupas|wasche|lampe|schaukel|hamaca|rede|bell|fish|ham|farol|" +
    "lampara) "
)

/** Rooms and drawings of the young, where nobody is shown. A "cuarto" is read as an ordinal. */
export const THINGS_OF_THE_YOUNG = new RegExp(
  " (?:(?:teenagers?|teens?|kids?|childs|childrens|boys|girls|toddlers?) (?:bed)?" +
    "(?:room|drawings?|books?|toys?|posters?|bike|playground|furniture|menu|shoes|handwriting|desk)|" +
    "(?:#4|habitacion|dibujo|juguetes?|desenho|brinquedos?|zimmer|zeichnung) (?:de|von|eines|einer) " +
    "(?:una? |uma? |los |las |um )?(?:adolescentes?|ninos?|ninas?|criancas?|menin[oa]s?|teenagers?|kindes|" +
    "kindern)) "
)
export const SHOWS_SOMEBODY = over(
  ` ${SOMEONE} `,
  ` ${anyOf("selfie me portrait posing lying wearing frau mujer mulher chica garota")} `
)
const BARE = anyOf("naked nude nackter nackte nackten nacktes kahler desnudo desnuda nu nua")
const PLANT = anyOf(
  "tree trees oak branch branches twigs vines rock rocks cliff cliffs wall bulb soil earth hill mountain"
)
/** Trees in winter and colours of lipstick. */
export const BARE_THINGS = over(
  ` ${BARE} (?:old |winter |grey |gray )?(?:[a-z]{2,12} )?${PLANT} `,
  ` (?:nackter|nackte|nackten|kahler) (?:alter |alte )?(?:baum|eiche|aste|zweige|hugel|berg|mauer) `,
  ` (?:arbol|arbol viejo|rama|ramas|arvore|galho|galhos|monte|pared|parede) (?:desnudo|desnuda|desnudas|nua|nu|nus) `,
  ` nude (?:coloured|colored|farben|farbener) | (?:labial|batom|esmalte) (?:color|cor) nude `
)
