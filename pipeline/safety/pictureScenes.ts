import { anyOf, over } from "./reading.ts"

/** Scenes that show somebody undressed or under age without a word for it. */

const COVER = anyOf(
  "towel bedsheet sheet sheets robe bathrobe blanket strap straps dress nightgown handtuch laken bademantel decke " +
    "trager kleid toalla sabana bata tirante tirantes vestido toalha lencol roupao alca alcas"
)
const FALLS = anyOf(
  "slipping slips slip slipped falling falls fell dropping drops dropped sliding slides rutscht rutschend fallt " +
    "verrutscht gefallen cayendo cayendose cae cayo resbalando resbala caindo cai caiu escorregando escorrega"
)
const BATH = anyOf(
  "shower bath bathtub tub dusche badewanne wanne ducha banera tina regadera bano banho chuveiro banheira"
)
export const EXPOSED_SCENES = over(
  ` (?:stepping|step|steps|stepped|coming|come|comes|came|getting|got|hopping|fresh|straight|climbing) ` +
    `(?:right |just |straight )?(?:out of|from|off) (?:the |a |your |her |his )?(?:hot )?${BATH} `,
  ` (?:frisch|gerade|direkt|eben|nass) aus der (?:dusche|badewanne|wanne) `,
  ` (?:saliendo|recien salid[ao]|salid[ao]|sales|saliste|sale) de (?:la |el |tu )?${BATH} `,
  ` (?:saindo|saida|saido|sai|saiu|saiste) do ${BATH} `,
  ` (?:no|without|minus|sin|sem|ohne|kein) (?:a |la |una |a |uma |ein )?(?:towel|toalla|toalha|handtuch) `,
  ` ${COVER} (?:(?:thats|that|is|is about to|wird|die|das|gerade|langsam|halb|que|se|va|vai|esta|ta|just|about to|` +
    `slowly|almost|half|nearly) ){0,3}${FALLS} `,
  ` (?:only|just|solo|so|nur|apenas|bloss) (?:[a-z]{1,10} ){0,3}(?:toalha|toalla|towel|handtuch|foam|bubbles|schaum|` +
    `schaumbad|espuma) `,
  ` (?:outfit|suit|clothes|way|dress) (?:that )?(?:you|she|he|u) (?:were|was) born (?:in|with) `,
  ` (?:the way|just as|exactly as|like) (?:you|she|he) (?:were|was) (?:born|created) `,
  ` wie (?:du|sie|er) (?:geboren (?:wurdest|wurde|bist|ist)|auf die welt (?:kamst|kam)) `,
  ` (?:como|tal como) (?:naciste|nacio|nasceste|nasceu|viniste al mundo|vieste ao mundo) `,
  ` (?:sin|sem) nada (?:por cima|por encima|encima|em cima|arriba) `,
  ` ohne (?:was|etwas|irgendwas|irgendetwas|alles) (?:an|drunter|darunter|druber) `,
  ` (?:under|unter|debajo de|bajo|debaixo d[eo]) (?:the |a |der |la |el |o )?(?:running |hot )?${BATH} `,
  " (?:top|tops|bottoms?|bra|oberteil|bh|sujetador|sutia) (?:is |are |ist |all )?" +
    "(?:gone|missing|removed|off|weg|quitado) ",
  ` (?:robe|bathrobe|bademantel|bata|roupao) (?:wide |half |weit |toda |todo )?(?:open|offen|abierta|aberto|aberta) `,
  ` (?:and|und|y|e) (?:nothing else|sonst nichts|nada mas|mais nada|nada debajo)(?= [,.!?] )`,
  ` without anything (?:on|over it|underneath|under|covering) `,
  ` with nothing (?:on|over it|underneath|covering)(?= (?:[,.!?]|at all) )`,
  ` (?:shirt|blouse|top|dress|robe|hemd|bluse|camisa|blusa) (?:[a-z]{1,10} ){0,2}(?:unbuttoned|undone|unzipped|` +
    `aufgeknopft|desabrochada|desabotoada) (?:all|down|completely|fully|ganz|komplett|toda|todo|completamente) `
)

const AGE = "(?:1[0-7]|[5-9])"
const KIN = anyOf("sister brother sis bro cousin niece nephew daughter son sibling siblings")
const KIN_DE = anyOf("schwester bruder cousine cousin nichte neffe tochter sohn")
export const YOUNG_SCENES = over(
  ` (?:little|lil|kid|baby|small|tiny) ${KIN} `,
  ` (?:kleine[rsn]?) ${KIN_DE} `,
  ` ${anyOf(
    "hermanita hermanito hijita hijito primita primito sobrinita sobrinito nietecita schwesterchen bruderchen " +
      "tochterchen sohnchen irmazinha irmaozinho filhinha filhinho priminha priminho sobrinha_pequena netinha " +
      "netinho maninha maninho"
  )} `,
  ` (?:hermana|hermano|prima|primo|sobrina|sobrino|irma|irmao) (?:pequena|pequeno|menor de edad|pequenita|pequenina) `,
  ` (?:du|dich|dir|sie) mit ${AGE} (?:aussahst|aussah|ausgesehen|warst|war|jahren|[,.!?]|im|in|am) `,
  ` (?:you|yourself|her|herself) at (?:age |around )?1[2-7] (?:[,.!?]|years|wearing|in a|with) `,
  ` (?:tu|ti|voce|vc|te|ella|ela) (?:con|com) ${AGE} (?:[,.!?]|anitos|aninhos|en la|na|em|en) `
)
